"""Reading the fields of a dialogue file strictly; a mistake names file, line and field.

Decides only whether a value has the form its field needs. It must never guess, skip or default
over a mistake.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wonmu.errors import InputError
from wonmu.hospital.source import Loc, Plain, Source


@dataclass(frozen=True, slots=True)
class Fields:
    """One mapping of a file. ``loc``: where it stands."""

    source: Source
    values: Mapping[str, Plain]
    loc: Loc = ()

    def wrong(self, name: str, why: str) -> InputError:
        return InputError(f"{self.source.place((*self.loc, name))}: {why}")

    def only(self, *known: str) -> None:
        """Refuse every field that is not in ``known``."""
        for name in self.values:
            if name not in known:
                raise self.wrong(name, f"is not known; use {', '.join(known)}")

    def text(self, name: str) -> str:
        value = self.maybe_text(name)
        if value is None:
            raise self.wrong(name, "is missing")
        return value

    def maybe_text(self, name: str) -> str | None:
        """The text; None when the field is absent or null."""
        value = self.values.get(name)
        if value is None:
            return None
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(name, "must be a line of text; put numbers and times in quotes")
        return value

    def texts(self, name: str) -> tuple[str, ...]:
        return tuple(self._one_text(name, place, item) for place, item in self._items(name))

    def _one_text(self, name: str, place: int, item: Plain) -> str:
        if not isinstance(item, str) or not item.strip():
            raise self.wrong(f"{name}[{place}]", "must be text")
        return item

    def counts(self, name: str) -> dict[str, int]:
        """A mapping of texts to whole numbers."""
        inner = self.inner(name)
        if inner is None:
            return {}
        found: dict[str, int] = {}
        for key, value in inner.values.items():
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                raise inner.wrong(key, "must be a whole number, 0 or more")
            found[key] = value
        return found

    def inner(self, name: str) -> Fields | None:
        value = self.values.get(name)
        if value is None:
            return None
        return self._mapping(name, (*self.loc, name), value)

    def each(self, name: str) -> tuple[Fields, ...]:
        """A list of mappings."""
        return tuple(
            self._mapping(f"{name}[{place}]", (*self.loc, name, place), item)
            for place, item in self._items(name)
        )

    def each_or_text(self, name: str) -> tuple[Fields | str, ...]:
        """A list whose items are texts or mappings."""
        return tuple(
            item
            if isinstance(item, str)
            else self._mapping(f"{name}[{place}]", (*self.loc, name, place), item)
            for place, item in self._items(name)
        )

    def _items(self, name: str) -> Iterator[tuple[int, Plain]]:
        value = self.values.get(name)
        if value is None:
            return iter(())
        if not isinstance(value, tuple):
            raise self.wrong(name, "must be a list; write - before each item")
        return enumerate(value)

    def _mapping(self, name: str, loc: Loc, value: Plain) -> Fields:
        if not isinstance(value, dict):
            raise self.wrong(name, "must be fields; write name: value")
        return Fields(self.source, value, loc)
