"""What callers call departments and doctors, turned into ids (T9, B1).

Decides only among this hospital's own lists. It must never pick one of several for the caller,
and never turn a department this hospital lacks into one it has.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from wonmu.hospital.config import DepartmentSettings, DoctorSettings, Hospital
from wonmu.ids import DepartmentId, DoctorId

Id = TypeVar("Id", bound=str)


@dataclass(frozen=True, slots=True)
class Found(Generic[Id]):
    """Exactly one. ``near`` when it was heard one letter off and should be read back."""

    id: Id
    near: bool = False


@dataclass(frozen=True, slots=True)
class Several(Generic[Id]):
    """More than one fits, in the order of the settings: ask."""

    ids: tuple[Id, ...]


@dataclass(frozen=True, slots=True)
class NotFound:
    """None fits. ``said`` is the name that was heard but is not here; empty if none was named."""

    said: str = ""


DepartmentMatch = Found[DepartmentId] | Several[DepartmentId] | NotFound
DoctorMatch = Found[DoctorId] | Several[DoctorId] | NotFound


class Catalog:
    """The closed lists of one hospital."""

    def __init__(self, hospital: Hospital) -> None: ...

    def departments(self) -> tuple[DepartmentSettings, ...]:
        raise NotImplementedError

    def doctors(self, department: DepartmentId | None = None) -> tuple[DoctorSettings, ...]:
        raise NotImplementedError

    def department(self, id: DepartmentId) -> DepartmentSettings | None:
        raise NotImplementedError

    def doctor(self, id: DoctorId) -> DoctorSettings | None:
        raise NotImplementedError

    def find_department(self, words: str) -> DepartmentMatch:
        """The department named anywhere in a sentence; the longest name wins."""
        raise NotImplementedError

    def find_doctor(self, words: str, department: DepartmentId | None = None) -> DoctorMatch:
        """The doctor named in a sentence: full name, surname and title, or title alone."""
        raise NotImplementedError

    def wants_any_doctor(self, words: str) -> bool:
        """Whether the caller leaves the choice of doctor to us ("아무나 괜찮아요")."""
        raise NotImplementedError
