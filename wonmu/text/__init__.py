"""The text desk: one agent whose step is state, on LangGraph (H2)."""
