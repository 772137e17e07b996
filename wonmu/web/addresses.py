"""Whose request it is, as far as limits go.

Decides the key that limits count by. ``X-Forwarded-For`` counts only when the connection comes from
a proxy that was named as trusted, and then only up to the first address that is none: everything
left of it may have been written by the client itself. An address must never reach a log in clear.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

from wonmu.errors import InputError

UNKNOWN = "unknown"
"""The key of all clients whose address cannot be read, e.g. behind a local socket."""

_SUBSCRIBER_BITS = 64
"""An IPv6 customer has a /64 at least; single addresses would make limits meaningless."""

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network


@dataclass(frozen=True, slots=True)
class Proxies:
    """The proxies that may say whom they speak for."""

    trusted: tuple[Network, ...] = ()

    @classmethod
    def of(cls, named: Iterable[str]) -> Proxies:
        """From addresses or networks as typed; raises ``InputError``."""
        return cls(tuple(_network(name) for name in named))

    def client(self, peer: str | None, forwarded: Iterable[str]) -> str:
        """The key of a client. ``forwarded``: the values of X-Forwarded-For as they came."""
        found = _address(peer or "")
        if found is None:
            return UNKNOWN
        for hop in reversed([hop for value in forwarded for hop in value.split(",")]):
            if not self._trusts(found):
                break
            named = _address(hop.strip())
            if named is None:
                break
            found = named
        return _key(found)

    def _trusts(self, address: Address) -> bool:
        return any(address in network for network in self.trusted)


def hidden(address: str, secret: bytes) -> str:
    """A name for the log: the same for the same address as long as ``secret`` is the same."""
    return hmac.new(secret, address.encode(), hashlib.sha256).hexdigest()[:12]


def _network(name: str) -> Network:
    try:
        return ip_network(name, strict=False)
    except ValueError:
        raise InputError(
            f"--trusted-proxy {name}: is no address or network; write for example 10.0.0.0/8"
        ) from None


def _address(text: str) -> Address | None:
    try:
        found = ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, IPv6Address) else None
    return mapped if mapped is not None else found


def _key(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address, _SUBSCRIBER_BITS), strict=False))
