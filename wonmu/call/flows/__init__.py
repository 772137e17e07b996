"""Orchestration that never talks by itself: plain objects, not tasks (S2)."""
