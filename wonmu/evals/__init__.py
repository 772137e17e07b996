"""Whole calls played and judged, without a line, a key or a person (V1, V3, V4)."""
