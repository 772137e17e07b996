"""Wonmu: the front desk of a Korean hospital, on the phone."""

__version__ = "0.1.0"
