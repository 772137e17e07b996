"""Measured figures: what Wonmu costs beside what it stands on (issue "Speed").

Every figure is a median, taken in one run together with what it is compared with, the two measured
in turns, so that a busy machine slows both alike. Nothing here decides anything about a call, and
no test asserts a time; ``python -m bench`` does, with its exit status.
"""
