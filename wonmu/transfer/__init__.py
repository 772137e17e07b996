"""Dialling a person: the port, and the lines behind it."""
