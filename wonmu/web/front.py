"""What every part of the web chat is handed: hospitals, limits, lines, time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from starlette.requests import HTTPConnection

from wonmu.clock import Clock
from wonmu.hospital.config import Hospital
from wonmu.lines import Lines
from wonmu.web.access import AccessSink
from wonmu.web.addresses import Proxies, hidden
from wonmu.web.limits import Gate
from wonmu.web.origins import Origins
from wonmu.web.refusal import Refused, Why
from wonmu.web.rooms import Rooms


@dataclass(frozen=True, slots=True)
class House:
    """One hospital's open visits and the lines of its language."""

    hospital: Hospital
    rooms: Rooms
    lines: Lines


@dataclass(frozen=True, slots=True)
class Front:
    """``houses``: by hospital id, the first one first. ``secret``: names addresses in the log."""

    houses: Mapping[str, House]
    gate: Gate
    clock: Clock
    secret: bytes
    origins: Origins = field(default_factory=Origins)
    proxies: Proxies = field(default_factory=Proxies)
    access: AccessSink | None = None

    @property
    def first(self) -> House:
        return next(iter(self.houses.values()))

    def house(self, hospital: str) -> House:
        """Raises ``Refused``."""
        found = self.houses.get(hospital)
        if found is None:
            raise Refused(Why.UNKNOWN)
        return found

    def lines(self, hospital: str) -> Lines:
        """For a sentence about a request, whatever was asked for."""
        return self.houses.get(hospital, self.first).lines

    def address(self, connection: HTTPConnection) -> str:
        """The key of the client's address."""
        peer = connection.client.host if connection.client is not None else None
        return self.proxies.client(peer, connection.headers.getlist("x-forwarded-for"))

    def who(self, connection: HTTPConnection) -> str:
        """The client's name in the log."""
        return hidden(self.address(connection), self.secret)

    def check_origin(self, connection: HTTPConnection) -> None:
        """Raises ``Refused`` for a page that may not use the chat."""
        headers = connection.headers
        if not self.origins.allow(headers.get("origin"), headers.get("host")):
            raise Refused(Why.FOREIGN_ORIGIN)
