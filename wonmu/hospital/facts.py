"""What a hospital has published, as text for a prompt (T2).

Decides nothing; it must never add a fact that is not in the settings or the public calendar. The
same hospital and day always give the same text.
"""

from __future__ import annotations

from datetime import datetime

from wonmu.hospital.config import Hospital


def facts_text(hospital: Hospital, now: datetime) -> str:
    """The published facts as lines: name, address, phone, hours, days off, doctors, questions."""
    raise NotImplementedError
