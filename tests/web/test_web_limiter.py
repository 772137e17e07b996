"""Limits of the web chat: pure, and on a clock handed in."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.clock import FixedClock
from wonmu.errors import InputError
from wonmu.web.addresses import UNKNOWN, Proxies, hidden
from wonmu.web.limiter import SHARED, Buckets, Counts, Rate
from wonmu.web.limits import Gate, WebLimits
from wonmu.web.origins import Origins
from wonmu.web.refusal import STATUS, Refused, Why

from web_parts import NOW  # isort: skip

pytestmark = pytest.mark.unit


def test_a_burst_passes_and_then_one_for_each_interval() -> None:
    clock = FixedClock(NOW)
    buckets = Buckets(Rate(3, 0.5), clock.mono)
    assert [buckets.take("a") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert buckets.take("a") == pytest.approx(2.0)
    clock.advance(1.5)
    assert buckets.take("a") == pytest.approx(0.5)
    clock.advance(0.5)
    assert buckets.take("a") == 0.0
    assert buckets.take("a") > 0.0


def test_keys_do_not_count_for_each_other() -> None:
    buckets = Buckets(Rate(1, 1.0), FixedClock(NOW).mono)
    assert buckets.take("a") == 0.0
    assert buckets.take("b") == 0.0
    assert buckets.take("a") > 0.0


def test_a_bucket_never_holds_more_than_its_burst() -> None:
    clock = FixedClock(NOW)
    buckets = Buckets(Rate(2, 1.0), clock.mono)
    buckets.take("a")
    clock.advance(3600)
    assert [buckets.take("a") == 0.0 for _ in range(3)] == [True, True, False]


def test_asking_takes_nothing() -> None:
    buckets = Buckets(Rate(1, 1.0), FixedClock(NOW).mono)
    assert [buckets.wait("a") for _ in range(5)] == [0.0] * 5
    buckets.take("a")
    assert buckets.wait("a") == pytest.approx(1.0)


def test_many_addresses_do_not_fill_the_memory() -> None:
    clock = FixedClock(NOW)
    buckets = Buckets(Rate(1, 1.0), clock.mono, most=10)
    for number in range(10):
        buckets.take(str(number))
    assert buckets.take("new") == 0.0, "strangers share one bucket"
    assert buckets.take("newer") > 0.0
    assert buckets.take("3") > 0.0, "who was there keeps its own"
    assert len(buckets) == 11
    clock.advance(60)
    assert buckets.take("newest") == 0.0
    assert len(buckets) == 1, "full buckets are dropped"
    assert SHARED == ""


@given(st.lists(st.floats(0.0, 5.0), max_size=40), st.integers(1, 5), st.floats(0.1, 4.0))
def test_never_more_than_burst_and_rate_allow(
    gaps: list[float], burst: int, per_second: float
) -> None:
    clock = FixedClock(NOW)
    buckets = Buckets(Rate(burst, per_second), clock.mono)
    passed = 0
    for gap in gaps:
        clock.advance(gap)
        passed += buckets.take("a") == 0.0
        assert passed <= burst + clock.mono() * per_second + 1e-6


@pytest.mark.parametrize(("burst", "per_second"), [(0, 1.0), (1, 0.0), (1, float("nan"))])
def test_a_rate_that_lets_nothing_through_is_a_mistake(burst: int, per_second: float) -> None:
    with pytest.raises(ValueError, match="a rate lets"):
        Rate(burst, per_second)


def test_counts_open_and_close() -> None:
    counts = Counts(2)
    assert [counts.enter("a") for _ in range(3)] == [True, True, False]
    assert counts.enter("b")
    counts.leave("a")
    assert counts.enter("a")
    assert not counts.enter("a")


def test_a_message_that_one_limit_refuses_costs_the_other_nothing() -> None:
    clock = FixedClock(NOW)
    gate = Gate(WebLimits(messages=Rate(1, 0.1), address_messages=Rate(2, 0.1)), clock.mono)
    gate.message("one", "conversation")
    for _ in range(5):
        with pytest.raises(Refused):
            gate.message("one", "conversation")
    gate.message("one", "another")
    with pytest.raises(Refused) as refused:
        gate.message("one", "third")
    assert refused.value.seconds == 10


def test_sockets_are_counted_down_again() -> None:
    gate = Gate(WebLimits(sockets=3, address_sockets=2), FixedClock(NOW).mono)
    gate.socket("a")
    gate.socket("a")
    with pytest.raises(Refused) as many:
        gate.socket("a")
    gate.socket("b")
    with pytest.raises(Refused) as full:
        gate.socket("c")
    assert (many.value.why, full.value.why) == (Why.TOO_MANY, Why.BUSY)
    gate.socket_gone("a")
    gate.socket("c")


def test_every_reason_has_a_status_and_waiting_is_never_told_too_short() -> None:
    assert set(STATUS) == set(Why)
    assert Refused(Why.TOO_MANY, retry_after=0.01).seconds == 1
    assert Refused(Why.TOO_MANY, retry_after=1.2).seconds == 2
    assert Refused(Why.UNKNOWN).seconds is None


TRUSTED = Proxies.of(("10.0.0.0/8", "2001:db8:1::5"))


@pytest.mark.parametrize(
    ("proxies", "peer", "forwarded", "client"),
    [
        (Proxies(), "192.0.2.7", [], "192.0.2.7"),
        (Proxies(), "192.0.2.7", ["198.51.100.1"], "192.0.2.7"),
        (TRUSTED, "192.0.2.7", ["198.51.100.1"], "192.0.2.7"),
        (TRUSTED, "10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        (TRUSTED, "10.0.0.1", ["203.0.113.9, 198.51.100.1"], "198.51.100.1"),
        (TRUSTED, "10.0.0.1", ["203.0.113.9", "198.51.100.1, 10.2.3.4"], "198.51.100.1"),
        (TRUSTED, "10.0.0.1", ["198.51.100.1, nonsense"], "10.0.0.1"),
        (TRUSTED, "10.0.0.1", [], "10.0.0.1"),
        (TRUSTED, "::ffff:10.0.0.1", ["198.51.100.1"], "198.51.100.1"),
        (TRUSTED, "2001:db8:1::5", ["2001:db8:2:3:4::1"], "2001:db8:2:3::/64"),
        (Proxies(), "2001:db8:2:3:ffff::1", [], "2001:db8:2:3::/64"),
        (Proxies(), None, [], UNKNOWN),
        (Proxies(), "testclient", [], UNKNOWN),
    ],
)
def test_whose_request_it_is(
    proxies: Proxies, peer: str | None, forwarded: list[str], client: str
) -> None:
    assert proxies.client(peer, forwarded) == client


def test_addresses_are_hidden_and_still_the_same() -> None:
    one = hidden("192.0.2.7", b"a")
    assert one == hidden("192.0.2.7", b"a")
    assert one not in {hidden("192.0.2.8", b"a"), hidden("192.0.2.7", b"b")}
    assert "192" not in one


@pytest.mark.parametrize("name", ["proxy.example", "10.0.0.0/99", ""])
def test_a_proxy_is_an_address(name: str) -> None:
    with pytest.raises(InputError, match="--trusted-proxy"):
        Proxies.of((name,))


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("https://www.hospital.example", True),
        ("http://chat.example:8088", True),
        ("https://chat.example:8088", True),
        ("https://www.hospital.example:444", False),
        ("https://evil.example", False),
        ("https://www.hospital.example.evil.example", False),
        ("null", False),
        ("", False),
    ],
)
def test_pages_that_may_use_the_chat(origin: str | None, allowed: bool) -> None:
    origins = Origins.of(("https://www.Hospital.example/",))
    assert origins.allow(origin, "chat.example:8088") is allowed


@pytest.mark.parametrize(
    "name",
    [
        "*",
        "null",
        "www.hospital.example",
        "https://a.example/path",
        "https://u@a.example",
        "https://",
    ],
)
def test_an_origin_is_named_exactly(name: str) -> None:
    with pytest.raises(InputError, match="--origin"):
        Origins.of((name,))
