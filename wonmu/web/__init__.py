"""The web chat: the text desk behind HTTP, a WebSocket and a widget for hospitals' pages (H2)."""
