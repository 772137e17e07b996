"""Read hospitals from folders of YAML files.

A hospital is a folder with ``hospital.yaml``, ``doctors.yaml`` and ``faq.yaml``. Decides whether
files are sound; every mistake is a ``SettingsError`` that names file, line and field. It must
never fill in what a hospital left out, or go on after a mistake.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from wonmu.errors import InputError, SettingsError
from wonmu.hospital import config
from wonmu.hospital.config import Hospital
from wonmu.hospital.contradictions import contradictions
from wonmu.hospital.fields import digits_of
from wonmu.hospital.source import Loc, Plain, Source, read_source
from wonmu.ids import HospitalId

DEMO = Path(__file__).parent / "demo"
"""The shipped, fictional hospitals."""

_FILES = {"doctors.yaml": ("departments", "doctors"), "faq.yaml": ("faq",), "hospital.yaml": ()}
"""File → the settings that belong into it; every other setting belongs into hospital.yaml."""


class Hospitals:
    """The hospitals that this process answers for."""

    def __init__(self, hospitals: Iterable[Hospital]) -> None:
        self._all = tuple(hospitals)

    def all(self) -> tuple[Hospital, ...]:
        return self._all

    def by_id(self, id: HospitalId) -> Hospital | None:
        return next((h for h in self._all if h.id == id), None)

    def by_number(self, dialled: str) -> Hospital | None:
        """Found by the number that was dialled, in any spelling (+82…, sip:…, hyphens)."""
        digits = digits_of(dialled)
        return next((h for h in self._all if h.number == digits), None)

    def pick(self, wanted: str | None) -> Hospital:
        """By id or number, the first when None; ``InputError`` that lists the known ids."""
        if wanted is None:
            return self._all[0]
        found = self.by_id(HospitalId(wanted)) or self.by_number(wanted)
        if found is None:
            known = ", ".join(h.id for h in self._all)
            raise InputError(f"there is no hospital {wanted!r}; use one of: {known}")
        return found


def describe(hospital: Hospital) -> dict[str, str]:
    """``id``, ``name`` and ``number`` for listings."""
    return {"id": hospital.id, "name": hospital.name, "number": hospital.phone}


def load_hospital(folder: Path) -> Hospital:
    """One hospital; ``SettingsError`` on any mistake."""
    return _load(folder).hospital


def load_hospitals(root: Path | None = None) -> Hospitals:
    """All hospitals in the folders of ``root`` (default: the shipped demo hospitals)."""
    root = root or DEMO
    loaded = [_load(folder) for folder in _folders(root)]
    if not loaded:
        raise SettingsError(f"{root.name}: has no hospital folder; add one with hospital.yaml")
    _refuse_shared(loaded)
    return Hospitals(one.hospital for one in loaded)


@dataclass(frozen=True, slots=True)
class _Loaded:
    hospital: Hospital
    sources: dict[str, Source]

    def place(self, loc: Loc) -> str:
        return _place(self.sources, loc)


def _folders(root: Path) -> list[Path]:
    entries = _entries(root)
    if any(entry.name == "hospital.yaml" for entry in entries):
        return [root]
    visible = [entry for entry in entries if entry.name[0] not in "._"]
    return [entry for entry in visible if entry.is_dir() or entry.is_symlink()]


def _entries(folder: Path) -> list[Path]:
    name = folder.name or str(folder)
    try:
        return sorted(folder.iterdir())
    except FileNotFoundError:
        raise SettingsError(f"{name}: there is no such folder; check the path") from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a path"
        raise SettingsError(f"{name}: cannot be listed ({why}); check the folder") from None


def _load(folder: Path) -> _Loaded:
    for entry in _entries(folder):
        if entry.suffix in (".yaml", ".yml") and entry.name not in _FILES:
            known = ", ".join(sorted(_FILES))
            raise SettingsError(
                f"{folder.name}/{entry.name}: is not a settings file; the files are {known}"
            )
    sources = {name: read_source(folder / name) for name in sorted(_FILES)}
    values = _joined(sources)
    try:
        hospital = Hospital.model_validate(values)
    except ValidationError as error:
        raise _errors(sources, [(_loc(e), _sentence(e)) for e in error.errors()]) from None
    found = [(finding.loc, finding.sentence) for finding in contradictions(hospital)]
    if found:
        raise _errors(sources, found)
    return _Loaded(hospital, sources)


def _joined(sources: dict[str, Source]) -> dict[str, Plain]:
    values: dict[str, Plain] = {}
    for name, source in sources.items():
        for key, value in source.values.items():
            if key not in Hospital.model_fields:
                raise SettingsError(f"{source.place((key,))}: {_unknown(key)}")
            if _home(key) != name:
                raise SettingsError(
                    f"{source.place((key,))}: does not belong here; move it to {_home(key)}"
                )
            values[key] = value
    return values


def _home(key: str | int) -> str:
    return next((name for name, keys in _FILES.items() if key in keys), "hospital.yaml")


def _place(sources: dict[str, Source], loc: Loc) -> str:
    return sources[_home(loc[0]) if loc else "hospital.yaml"].place(loc)


def _errors(sources: dict[str, Source], found: list[tuple[Loc, str]]) -> SettingsError:
    loc, sentence = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return SettingsError(f"{_place(sources, loc)}: {sentence}{more}")


def _loc(error: ErrorDetails) -> Loc:
    return error["loc"]


def _sentence(error: ErrorDetails) -> str:
    match error["type"]:
        case "missing":
            return "is missing; add it"
        case "extra_forbidden":
            return _unknown(str(error["loc"][-1]))
        case "string_type":
            return "should be text; put it in quotes"
        case "value_error":
            return f"{error['ctx']['error']}; correct it"
        case _:
            said = error["msg"].replace("Input should", "should").replace("String should", "should")
            return f"{said.replace('Tuple should', 'should')}; correct it"


def _unknown(key: str) -> str:
    names = {
        name
        for model in vars(config).values()
        if isinstance(model, type) and issubclass(model, BaseModel)
        for name in model.model_fields
    }
    near = difflib.get_close_matches(key, sorted(names), n=1)
    return "is not a known setting; " + (f"did you mean {near[0]}?" if near else "remove it")


def _refuse_shared(loaded: list[_Loaded]) -> None:
    ids: dict[str, str] = {}
    numbers: dict[str, str] = {}
    for one in loaded:
        for field, value, seen in (
            ("id", one.hospital.id, ids),
            ("phone", one.hospital.number, numbers),
        ):
            if value in seen:
                raise SettingsError(
                    f"{one.place((field,))}: is also that of {seen[value]}; each needs its own"
                )
            seen[value] = one.sources["hospital.yaml"].label
