"""Read hospitals from folders of YAML files.

A hospital is a folder with ``hospital.yaml``, ``doctors.yaml`` and ``faq.yaml``. Decides whether
files are sound; every mistake is a ``SettingsError`` that names file, line and field. It must
never fill in what a hospital left out, or go on after a mistake.
"""

from __future__ import annotations

from pathlib import Path

from wonmu.hospital.config import Hospital
from wonmu.ids import HospitalId

DEMO = Path(__file__).parent / "demo"
"""The shipped, fictional hospitals."""


class Hospitals:
    """The hospitals that this process answers for."""

    def all(self) -> tuple[Hospital, ...]:
        raise NotImplementedError

    def by_id(self, id: HospitalId) -> Hospital | None:
        raise NotImplementedError

    def by_number(self, dialled: str) -> Hospital | None:
        """Found by the number that was dialled, in any spelling (+82…, sip:…, hyphens)."""
        raise NotImplementedError

    def pick(self, wanted: str | None) -> Hospital:
        """By id or number, the first when None; ``InputError`` that lists the known ids."""
        raise NotImplementedError


def load_hospital(folder: Path) -> Hospital:
    """One hospital; ``SettingsError`` on any mistake."""
    raise NotImplementedError


def load_hospitals(root: Path | None = None) -> Hospitals:
    """All hospitals in the folders of ``root`` (default: the shipped demo hospitals)."""
    raise NotImplementedError


def describe(hospital: Hospital) -> dict[str, str]:
    """``id``, ``name`` and ``number`` for listings."""
    return {"id": hospital.id, "name": hospital.name, "number": hospital.phone}
