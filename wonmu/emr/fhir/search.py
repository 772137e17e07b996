"""A whole search: its pages, followed to the end or to where enough is known.

Decides when a list may be believed. Pages that shift under the reading (an entry twice, a total
that changes, a link that leads back, fewer entries than promised) are read once more from the
start, then the search fails; a list longer than ``MAX_PAGES`` fails too, because a list cut short
would be told as the whole. Never an empty list for a failure (T11).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TypeVar

from wonmu.emr.fhir import errors
from wonmu.emr.fhir.http import FhirClient, Params
from wonmu.emr.fhir.models import Resource
from wonmu.emr.fhir.parsing import ListedSlot, Page, parse_page, parse_slot_page
from wonmu.errors import EmrFault

R = TypeVar("R", bound=Resource)

MAX_PAGES = 4
"""More would not fit into the time a caller waits."""

PAGE_SIZE = 100
"""Entries asked for in one page; a server may give fewer."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search found. ``others``: resources that came along (``_include``)."""

    resources: tuple[Resource, ...]
    slots: tuple[ListedSlot, ...]
    others: tuple[Resource, ...]
    skipped: int

    def of(self, kind: type[R]) -> tuple[R, ...]:
        """Matches of a kind; a match of another kind is no match."""
        return tuple(one for one in self.resources if isinstance(one, kind))

    def along(self, kind: type[R]) -> tuple[R, ...]:
        return tuple(one for one in (*self.others, *self.resources) if isinstance(one, kind))


Keep = Callable[[ListedSlot], bool]


@dataclass(frozen=True, slots=True)
class _Aim:
    """``size``: entries of a page asked for. ``keep``: so many slots that it keeps are enough;
    None: everything is wanted."""

    size: int
    keep: Keep | None = None

    def is_reached(self, found: Found) -> bool:
        starts = [slot.start for slot in found.slots]
        return self._kept(found) >= self.size and starts == sorted(starts)

    def is_served(self, found: Found) -> bool:
        """Whether a list that may be cut off is good enough: some times to offer are."""
        return self._kept(found) > 0

    def _kept(self, found: Found) -> int:
        return 0 if self.keep is None else sum(map(self.keep, found.slots))


@dataclass(slots=True)
class _Reading:
    """What the pages so far hold."""

    pages: list[Page] = field(default_factory=list)
    links: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    matches: int = 0

    def take(self, page: Page) -> bool:
        """False when the page does not fit those before it."""
        totals = {one.total for one in (*self.pages, page) if one.total is not None}
        ids = [one.id for one in page.found if one.id is not None]
        ids += [slot.id for slot in page.slots]
        fits = len(totals) <= 1 and len(set(ids)) == len(ids) and self.ids.isdisjoint(ids)
        self.pages.append(page)
        self.ids.update(ids)
        self.matches += len(page.found) + len(page.slots) + page.skipped
        return fits

    def all_there(self) -> bool:
        totals = [one.total for one in self.pages if one.total is not None]
        return not totals or self.matches >= totals[-1]

    def may_be_cut(self, size: int) -> bool:
        """A full page, no total and no next page: there may be more (Medplum's router on its
        memory repository answers so)."""
        last = self.pages[-1]
        told = any(one.total is not None for one in self.pages)
        return not told and len(last.found) + len(last.slots) + last.skipped >= size

    def found(self) -> Found:
        return Found(
            tuple(one for page in self.pages for one in page.found),
            tuple(one for page in self.pages for one in page.slots),
            tuple(one for page in self.pages for one in page.others),
            sum(page.skipped for page in self.pages),
        )


class _Shifted(Exception):
    """The pages changed while they were read."""


async def search_all(
    client: FhirClient, kind: str, params: Params, doing: str, *, form: bool = False
) -> Found:
    """Everything that matches. Raises ``FhirFailure``."""
    return await _search(client, kind, params, doing, parse_page, _Aim(PAGE_SIZE), form=form)


async def search_slots(
    client: FhirClient, params: Params, keep: Keep, limit: int, doing: str
) -> tuple[tuple[ListedSlot, ...], int]:
    """The earliest slots that ``keep`` keeps, at least ``limit`` if there are so many, and how
    many entries could not be read. A server that ignores ``_sort`` is read to its end."""
    aim = _Aim(limit, keep)
    asked = (*params, ("_sort", "start"))
    found = await _search(client, "Slot", asked, doing, parse_slot_page, aim)
    return tuple(filter(keep, found.slots)), found.skipped


async def _search(
    client: FhirClient,
    kind: str,
    params: Params,
    doing: str,
    parse: Callable[[bytes], Page],
    aim: _Aim,
    *,
    form: bool = False,
) -> Found:
    for _ in range(2):
        try:
            first = client.search(kind, (*params, ("_count", str(aim.size))), doing, form=form)
            return await _pages(client, first, doing, parse, aim)
        except _Shifted:
            continue
    raise errors.FhirFailure(EmrFault.SHIFTED, doing)


async def _pages(
    client: FhirClient,
    first: Awaitable[bytes],
    doing: str,
    parse: Callable[[bytes], Page],
    aim: _Aim,
) -> Found:
    reading = _Reading()
    page = _page(parse, await first, doing)
    while True:
        if not reading.take(page):
            raise _Shifted
        found = reading.found()
        if aim.is_reached(found):
            return found
        if page.next is None:
            break
        if page.next in reading.links:
            raise _Shifted
        if len(reading.pages) == MAX_PAGES:
            raise errors.unreadable(f"{doing}: more than {MAX_PAGES} pages")
        reading.links.add(page.next)
        page = _page(parse, await client.next_page(page.next, doing), doing)
    if not reading.all_there():
        raise _Shifted
    if reading.may_be_cut(aim.size) and not aim.is_served(found):
        raise errors.unreadable(f"{doing}: a full page and no next one")
    if found.skipped and not found.resources and not found.slots:
        raise errors.unreadable(doing)
    return found


def _page(parse: Callable[[bytes], Page], body: bytes, doing: str) -> Page:
    try:
        page = parse(body)
    except ValueError:
        raise errors.unreadable(doing) from None
    if page.outcome is not None and page.outcome.failed():
        raise errors.of_outcome(page.outcome, doing, write=False)
    if page.type != "searchset":
        raise errors.unreadable(doing)
    return page
