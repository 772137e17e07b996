"""The conversation on LiveKit. Life-cycle traps live here; rules do not."""
