"""What the caller wants: department, doctor, when (S8, T9).

Decides which of these is still missing. Must never fill one in for the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from wonmu.ids import DepartmentId, DoctorId
from wonmu.korean.when import When


@dataclass(frozen=True, slots=True)
class Unsaid:
    """The caller has said nothing about a doctor."""


@dataclass(frozen=True, slots=True)
class AnyDoctor:
    """The caller said that any doctor will do."""


@dataclass(frozen=True, slots=True)
class ThisDoctor:
    """The caller named one doctor."""

    id: DoctorId


DoctorChoice = Unsaid | AnyDoctor | ThisDoctor


class Missing(StrEnum):
    """What has to be asked, in the order in which it is asked."""

    DEPARTMENT = "department"
    DOCTOR = "doctor"
    WHEN = "when"


@dataclass(frozen=True, slots=True)
class ClosedLists:
    """The bookable doctors of each bookable department of this hospital.

    ``choose_doctor``: the hospital wants the caller to choose (or to say "any") when a department
    has several doctors.
    """

    doctors_of: Mapping[DepartmentId, tuple[DoctorId, ...]]
    choose_doctor: bool = True

    def has_department(self, department: DepartmentId) -> bool:
        return department in self.doctors_of

    def has_doctor(self, department: DepartmentId, doctor: DoctorId) -> bool:
        return doctor in self.doctors_of.get(department, ())

    def departments_of(self, doctor: DoctorId) -> tuple[DepartmentId, ...]:
        """Every department that lists this doctor."""
        return tuple(dep for dep, doctors in self.doctors_of.items() if doctor in doctors)

    def wants_choice(self, department: DepartmentId) -> bool:
        """Whether a doctor must be chosen by the caller in this department."""
        return self.choose_doctor and len(self.doctors_of.get(department, ())) > 1


@dataclass(frozen=True, slots=True)
class Wish:
    """The conditions so far. ``None`` and ``Unsaid`` mean: not said."""

    department: DepartmentId | None = None
    doctor: DoctorChoice = field(default_factory=Unsaid)
    when: When | None = None

    def missing(self, lists: ClosedLists) -> tuple[Missing, ...]:
        """What must still be asked before a search; the doctor only where a choice is wanted."""
        out: list[Missing] = []
        if self.department is None:
            out.append(Missing.DEPARTMENT)
        elif isinstance(self.doctor, Unsaid) and lists.wants_choice(self.department):
            out.append(Missing.DOCTOR)
        if self.when is None or not says_something(self.when):
            out.append(Missing.WHEN)
        return tuple(out)


def says_something(when: When) -> bool:
    """False for a wish that names neither a day, nor a time, nor "the soonest"."""
    return when.soonest or when.day_from is not None or when.time_from is not None
