"""The breaker: nothing passes while it is open, one try at a time, and it always recovers (A8)."""

from __future__ import annotations

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from wonmu.emr.breaker import Breaker, BreakerState, Ticket
from wonmu.emr.failures import MEANING
from wonmu.errors import EmrFault
from wonmu.hospital.config import BreakerRules

pytestmark = pytest.mark.unit

CLOSED, OPEN, HALF = BreakerState.CLOSED, BreakerState.OPEN, BreakerState.HALF_OPEN
RULES = BreakerRules(failures=3, within_seconds=10.0, open_seconds=20.0)
DOWN = [fault for fault in EmrFault if MEANING[fault].down]
ANSWERS = [fault for fault in EmrFault if not MEANING[fault].down]


def passed(breaker: Breaker, now: float) -> Ticket:
    ticket = breaker.admit(now)
    assert ticket is not None
    return ticket


def fail(breaker: Breaker, now: float, fault: EmrFault = EmrFault.TIMEOUT) -> None:
    breaker.failed(passed(breaker, now), fault, now)


def opened(at: float = 0.0) -> Breaker:
    breaker = Breaker(RULES)
    for _ in range(RULES.failures):
        fail(breaker, at)
    assert breaker.state is OPEN
    return breaker


def half_open() -> tuple[Breaker, Ticket]:
    breaker = opened()
    ticket = passed(breaker, 20.0)
    assert breaker.state is HALF
    return breaker, ticket


@pytest.mark.parametrize(
    ("moments", "state"),
    [
        ((0.0, 0.0), CLOSED),
        ((0.0, 0.0, 0.0), OPEN),
        ((0.0, 5.0, 10.0), OPEN),
        ((0.0, 5.0, 10.1), CLOSED),
        ((0.0, 8.0, 16.0, 17.0), OPEN),
        ((0.0, 8.0, 16.0, 24.0, 32.0), CLOSED),
    ],
)
def test_so_many_failures_within_so_many_seconds_open_it(
    moments: tuple[float, ...], state: BreakerState
) -> None:
    breaker = Breaker(RULES)
    for now in moments:
        fail(breaker, now)
    assert breaker.state is state


@pytest.mark.parametrize("fault", list(EmrFault))
def test_only_what_speaks_against_the_record_system_counts(fault: EmrFault) -> None:
    breaker = Breaker(RULES)
    for _ in range(RULES.failures):
        fail(breaker, 0.0, fault)
    assert (breaker.state is OPEN) == (fault in DOWN)


def test_what_is_our_own_fault_never_opens_it() -> None:
    assert {EmrFault.NOT_FOUND, EmrFault.UNPROCESSABLE, EmrFault.REFUSED} <= set(ANSWERS)
    assert {EmrFault.TIMEOUT, EmrFault.UNREACHABLE, EmrFault.UNAVAILABLE} <= set(DOWN)


def test_an_open_one_lets_nothing_through_until_its_time_is_over() -> None:
    breaker = opened()
    assert breaker.admit(19.9) is None
    assert breaker.state is OPEN
    assert breaker.admit(20.0) is not None
    assert breaker.state is HALF


def test_one_try_at_a_time() -> None:
    breaker, _ = half_open()
    assert breaker.admit(20.0) is None
    assert breaker.admit(500.0) is None


def test_a_try_that_succeeds_closes_it_and_forgets_the_failures() -> None:
    breaker = Breaker(BreakerRules(failures=2, within_seconds=600.0, open_seconds=1.0))
    fail(breaker, 0.0)
    fail(breaker, 0.0)
    assert breaker.state is OPEN
    breaker.succeeded(passed(breaker, 1.0))
    assert breaker.state is CLOSED
    fail(breaker, 2.0)
    assert breaker.state is CLOSED


@pytest.mark.parametrize("fault", ANSWERS)
def test_a_no_is_an_answer_too(fault: EmrFault) -> None:
    breaker, ticket = half_open()
    breaker.failed(ticket, fault, 20.0)
    assert breaker.state is CLOSED


def test_a_try_that_fails_opens_it_for_as_long_again() -> None:
    breaker, ticket = half_open()
    breaker.failed(ticket, EmrFault.TIMEOUT, 23.0)
    assert breaker.state is OPEN
    assert breaker.admit(42.9) is None
    assert breaker.admit(43.0) is not None


def test_a_try_nobody_waits_for_makes_room_for_another() -> None:
    breaker, ticket = half_open()
    breaker.dropped(ticket)
    assert breaker.state is HALF
    second = passed(breaker, 21.0)
    breaker.succeeded(ticket)
    assert breaker.state is HALF, "the dropped one must not settle anything"
    breaker.succeeded(second)
    assert breaker.state is CLOSED


def test_what_was_asked_before_it_opened_says_nothing_afterwards() -> None:
    breaker = Breaker(RULES)
    early, late = passed(breaker, 0.0), passed(breaker, 0.0)
    for _ in range(RULES.failures):
        fail(breaker, 0.0)
    breaker.succeeded(early)
    assert breaker.state is OPEN
    ticket = passed(breaker, 20.0)
    breaker.failed(late, EmrFault.TIMEOUT, 20.0)
    assert breaker.state is HALF
    breaker.succeeded(ticket)
    breaker.failed(late, EmrFault.TIMEOUT, 20.0)
    assert breaker.state is CLOSED


def test_a_ticket_counts_once() -> None:
    breaker = Breaker(RULES)
    ticket = passed(breaker, 0.0)
    for _ in range(RULES.failures):
        breaker.failed(ticket, EmrFault.TIMEOUT, 0.0)
    assert breaker.state is CLOSED


def test_dropping_counts_neither_way() -> None:
    breaker = Breaker(RULES)
    for _ in range(10):
        breaker.dropped(passed(breaker, 0.0))
    assert breaker.state is CLOSED


def test_the_usual_rules_are_the_settings_defaults() -> None:
    breaker = Breaker()
    for _ in range(BreakerRules().failures):
        assert breaker.state is CLOSED
        fail(breaker, 0.0)
    assert breaker.state is OPEN


class AnyUse(RuleBasedStateMachine):
    """Whatever is asked and however it ends, against a second, simpler account of what holds."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.running: list[Ticket] = []
        """All tickets that somebody may still settle."""
        self.current: list[Ticket] = []
        """Those of them that were given since the state last changed."""
        self.failures: list[float] = []
        self.since = 0.0
        self.breaker = Breaker()
        self.limits = BreakerRules()

    @initialize(failures=st.integers(1, 3), within=st.integers(1, 9), shut=st.integers(1, 9))
    def start(self, failures: int, within: int, shut: int) -> None:
        self.limits = BreakerRules(failures=failures, within_seconds=within, open_seconds=shut)
        self.breaker = Breaker(self.limits)

    @rule(seconds=st.integers(0, 4))
    def wait(self, seconds: int) -> None:
        self.now += seconds

    @rule()
    def wait_until_it_is_due(self) -> None:
        self.now = max(self.now, self.since + self.limits.open_seconds)

    @rule()
    def ask(self) -> None:
        before = self.breaker.state
        ticket = self.breaker.admit(self.now)
        match before:
            case BreakerState.OPEN:
                due = self.now - self.since >= self.limits.open_seconds
                assert (ticket is not None) == due, "asked while open, or kept shut after its time"
                if due:
                    self._changed()
            case BreakerState.HALF_OPEN:
                assert (ticket is None) == bool(self.current), "two tries, or none for ever"
            case BreakerState.CLOSED:
                assert ticket is not None
        if ticket is not None:
            self.running.append(ticket)
            self.current.append(ticket)
            assert self.breaker.state is (CLOSED if before is CLOSED else HALF)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), ending=st.sampled_from(["failure"] * 4 + ["success", "drop", "no"]))
    def settle(self, data: st.DataObject, ending: str) -> None:
        ticket = data.draw(st.sampled_from(self.running))
        if not data.draw(st.booleans(), "may be settled again"):
            self.running.remove(ticket)
        expected = self._expected(ticket, ending)
        before = self.breaker.state
        self._end(ticket, ending)
        assert self.breaker.state is expected
        if expected is not before:
            self._changed()

    def _expected(self, ticket: Ticket, ending: str) -> BreakerState:
        """Only what was asked in this state moves it, and only once."""
        state = self.breaker.state
        if ticket not in self.current:
            return state
        self.current.remove(ticket)
        if ending == "failure":
            self.failures.append(self.now)
            recent = [at for at in self.failures if self.now - at <= self.limits.within_seconds]
            return OPEN if state is HALF or len(recent) >= self.limits.failures else state
        return CLOSED if state is HALF and ending != "drop" else state

    def _end(self, ticket: Ticket, ending: str) -> None:
        match ending:
            case "success":
                self.breaker.succeeded(ticket)
            case "failure":
                self.breaker.failed(ticket, EmrFault.TIMEOUT, self.now)
            case "no":
                self.breaker.failed(ticket, EmrFault.NOT_FOUND, self.now)
            case _:
                self.breaker.dropped(ticket)

    def _changed(self) -> None:
        self.current.clear()
        self.failures.clear()
        self.since = self.now

    def teardown(self) -> None:
        """However it was left: when what runs has ended, one success brings it back."""
        for ticket in self.running + self.current:
            self.breaker.dropped(ticket)
        last = self.breaker.admit(self.now + self.limits.open_seconds)
        assert last is not None, "it stays shut for ever"
        self.breaker.succeeded(last)
        assert self.breaker.state is CLOSED


TestAnyUse = AnyUse.TestCase
TestAnyUse.settings = settings(max_examples=120, stateful_step_count=40, deadline=None)
