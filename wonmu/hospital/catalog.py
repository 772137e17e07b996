"""What callers call departments and doctors, turned into ids (T9, B1).

Decides only among this hospital's own lists. It must never pick one of several for the caller,
and never turn a department this hospital lacks into one it has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from wonmu.hospital.config import DepartmentSettings, DoctorSettings, Hospital
from wonmu.hospital.doctor_search import DoctorSearch
from wonmu.hospital.heard import Heard, fold, letters_off, mentions
from wonmu.hospital.spoken_names import DEPARTMENTS, wants_anyone
from wonmu.ids import DepartmentId, DoctorId

Id = TypeVar("Id", bound=str)

_FOREIGN = "?"
"""Before the name of a department that this hospital lacks; no id starts so."""

_NEAR_SYLLABLES = 3
"""내과, 외과, 안과, 치과 are one or two letters apart: only longer names may be heard one off."""


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

    def __init__(self, hospital: Hospital) -> None:
        self._departments = {department.id: department for department in hospital.departments}
        self._doctors = {doctor.id: doctor for doctor in hospital.doctors}
        own = [
            (fold(name), department.id)
            for department in hospital.departments
            for name in (department.name, *department.aliases)
        ]
        known = {name for name, _ in own}
        self._own_names: list[tuple[str, DepartmentId]] = own
        self._department_names: list[tuple[str, DepartmentId | str]] = [
            *own,
            *((name, _FOREIGN + name) for name in DEPARTMENTS if name not in known),
        ]

    def departments(self) -> tuple[DepartmentSettings, ...]:
        return tuple(self._departments.values())

    def doctors(self, department: DepartmentId | None = None) -> tuple[DoctorSettings, ...]:
        """All doctors, or those of one department, in the order of the settings."""
        every = self._doctors.values()
        return tuple(d for d in every if department is None or d.department == department)

    def department(self, id: DepartmentId) -> DepartmentSettings | None:
        return self._departments.get(id)

    def doctor(self, id: DoctorId) -> DoctorSettings | None:
        return self._doctors.get(id)

    def find_department(self, words: str) -> DepartmentMatch:
        """The department named anywhere in a sentence; the longest name wins.

        A name that the caller turns away ("내과 말고") does not count.
        """
        heard = Heard.of(words)
        named = mentions(heard, self._department_names)
        wanted = [m.key for m in named if not heard.dropped_after(m.end)]
        ids = [id for id in self._departments if id in wanted]
        if ids:
            return _match(ids)
        if named:
            foreign = [key for key in wanted if key.startswith(_FOREIGN)]
            return NotFound(foreign[0].removeprefix(_FOREIGN) if foreign else "")
        near = self._near_departments(heard)
        return _match(near, near=True) if near else NotFound()

    def find_doctor(self, words: str, department: DepartmentId | None = None) -> DoctorMatch:
        """The doctor named in a sentence: full name, surname or given name with title, or title.

        ``department``, or else one named in the same words, decides among several; when nobody
        in it fits, the whole hospital is looked through, so the answer may be of another one.
        Names that sound the same (재희, 제희) are several.
        """
        if department is None:
            said = self.find_department(words)
            department = said.id if isinstance(said, Found) else None
        found = DoctorSearch(self.doctors(), words).run()
        if not found.ids:
            return NotFound(found.said)
        inside = [id for id in found.ids if self._doctors[id].department == department]
        return _match(inside or found.ids, near=found.near)

    def wants_any_doctor(self, words: str) -> bool:
        """Whether the caller leaves the choice of doctor to us ("아무나 괜찮아요")."""
        return wants_anyone(Heard.of(words).text)

    def _near_departments(self, heard: Heard) -> list[DepartmentId]:
        close = {
            id
            for name, id in self._own_names
            if len(name) >= _NEAR_SYLLABLES
            for start in heard.starts
            if letters_off(heard.text[start : start + len(name)], name) == 1
        }
        return [id for id in self._departments if id in close]


def _match(ids: Sequence[Id], *, near: bool = False) -> Found[Id] | Several[Id]:
    return Found(ids[0], near) if len(ids) == 1 else Several(tuple(ids))
