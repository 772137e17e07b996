"""The table of ``wonmu bench desk``: both ways beside each other, for each channel.

Figures only; every count says of how many. What *leaked* is read from the requests themselves: a
specialist's result in front of an agent whose work it is not, and amounts of money in front of one
that has no billing tools at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import ceil

from wonmu.commands.common import choose_hospital, hospitals_of
from wonmu.commands.models import rungs_of
from wonmu.errors import InputError
from wonmu.evals.desk_bench import (
    BYTES_A_TOKEN,
    CHANNELS,
    Asked,
    Channel,
    Outcome,
    Request,
    ask,
    requests_of,
    shows_steps,
)
from wonmu.hospital.billing import BillingWay
from wonmu.hospital.config import Hospital
from wonmu.korean.won import read_won
from wonmu.model.offline import BuiltinRung

PACE = 0.8
"""Seconds that one call of the built-in model is made to take, as a model elsewhere would."""


@dataclass(frozen=True, slots=True)
class Row:
    """One way on one channel, over all requests."""

    channel: Channel
    way: BillingWay
    outcomes: tuple[Outcome, ...]

    @property
    def asked(self) -> list[Asked]:
        return [each for outcome in self.outcomes for each in outcome.asked]

    @property
    def solved(self) -> str:
        return f"{sum(each.solved for each in self.outcomes)} of {len(self.outcomes)}"

    @property
    def calls(self) -> int:
        return len(self.asked)

    @property
    def inner(self) -> int:
        """Calls that specialists made in windows of their own."""
        return sum(each.inner for each in self.asked)

    @property
    def tokens(self) -> int:
        return ceil(sum(each.bytes for each in self.asked) / BYTES_A_TOKEN)

    @property
    def largest(self) -> int:
        return ceil(max(each.bytes for each in self.asked) / BYTES_A_TOKEN)

    def first_word(self, share: float) -> float:
        waits = sorted(wait for outcome in self.outcomes for wait in outcome.first_word)
        return waits[min(len(waits) - 1, ceil(share * len(waits)) - 1)]

    @property
    def steps_leaked(self) -> str:
        """Results of specialist tools before an agent that has no such tools."""
        others = [each for each in self.asked if not each.inner and not each.billing]
        return f"{sum(shows_steps(each) for each in others)} of {len(others)}"

    @property
    def amounts_leaked(self) -> str:
        """The caller's own amounts before an agent that has no billing tools."""
        others = [each for each in self.asked if not each.inner and not each.billing]
        return f"{sum(_shows_amounts(each) for each in others)} of {len(others)}"

    @property
    def recovered(self) -> str:
        switched = [each for each in self.outcomes if each.request.switch is not None]
        return f"{sum(each.switched is not None for each in switched)} of {len(switched)}"

    @property
    def recovery(self) -> str:
        """Mean seconds to the first word, and mean model calls, in the turn that changes topic."""
        found = [each for each in self.outcomes if each.switched is not None]
        if not found:
            return "–"
        seconds = sum(each.switched or 0.0 for each in found) / len(found)
        calls = sum(each.switch_calls for each in found) / len(found)
        return f"{seconds:.1f} s, {calls:.1f} calls"


def _shows_amounts(asked: Asked) -> bool:
    """Whether the talk in front of the model (not the published facts) states an amount."""
    talk = [m for m in asked.request.messages if m.get("role") != "system"]
    return any(read_won(str(m.get("content") or "")) for m in talk)


ROWS: tuple[tuple[str, Callable[[Row], object]], ...] = (
    ("requests answered rightly", lambda row: row.solved),
    ("model calls, all", lambda row: row.calls),
    ("– of these in a specialist's own window", lambda row: row.inner),
    ("tokens sent, estimated", lambda row: f"{row.tokens:,}"),
    ("largest request, tokens", lambda row: f"{row.largest:,}"),
    ("first word, p50", lambda row: f"{row.first_word(0.5):.1f} s"),
    ("first word, p90", lambda row: f"{row.first_word(0.9):.1f} s"),
    (
        "requests to an agent without billing tools that held a tool's result",
        lambda r: r.steps_leaked,
    ),
    ("amounts in the talk before such an agent", lambda row: row.amounts_leaked),
    ("right again after a change of topic", lambda row: row.recovered),
    ("– first word and model calls of that turn", lambda row: row.recovery),
)


def table(rows: Sequence[Row]) -> str:
    """Markdown; one column a way and channel."""
    heads = [f"{row.channel}, {row.way.value}" for row in rows]
    out = ["| | " + " | ".join(heads) + " |", "| --- |" + " --- |" * len(rows)]
    for name, figure in ROWS:
        out.append(f"| {name} | " + " | ".join(str(figure(row)) for row in rows) + " |")
    return "\n".join(out)


def measure(
    hospital: Hospital,
    channel: Channel,
    way: BillingWay,
    requests: Sequence[Request],
    model: str = "builtin",
    name: str = "default",
) -> Row:
    """All requests one way. ``model``: as for ``wonmu chat``; one elsewhere takes its own time."""
    given = rungs_of(model, name)
    rung, pace = (given[0], 0.0) if given else (BuiltinRung(), PACE)
    billing = hospital.billing
    if billing is None:
        raise InputError(f"hospital {hospital.id} has no billing settings to compare")
    here = hospital.model_copy(
        update={"billing": billing.model_copy(update={"voice": way, "text": way})}
    )
    found = tuple(ask(here, channel, request, rung, pace) for request in requests)
    return Row(channel, way, found)


def run_bench_desk(channel: str, model: str, name: str, show_wrong: bool) -> int:
    """The command. A request answered wrongly is a figure, not a failure of the command. Raises
    ``InputError``."""
    chosen = [each for each in CHANNELS if channel in ("both", each)]
    if not chosen:
        raise InputError(f"--channel {channel}: must be text, voice or both")
    hospital = choose_hospital(hospitals_of(None), "hanbit")
    rows = []
    for each in chosen:
        for way in BillingWay:
            sys.stderr.write(f"{each}, {way.value} …\n")
            rows.append(measure(hospital, each, way, requests_of(), model, name))
    sys.stdout.write(table(rows) + "\n")
    wrong = [(row, outcome) for row in rows for outcome in row.outcomes if not outcome.solved]
    for row, outcome in wrong if show_wrong else ():
        name = f"{row.channel}, {row.way.value}: {outcome.request.name}"
        sys.stdout.write(f"not right: {name}\n")
    return 0
