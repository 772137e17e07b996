"""The tools a model may call. Thin: gate, then task, then result."""
