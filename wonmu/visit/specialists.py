"""Specialists as the owner of a talk uses them, on the phone or in text (H1, T12).

Who can be asked, what of their answers may be said, and what those answers leave for code to do.
It asks nobody back and carries nothing out; words and consents are the channel's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from wonmu.desk.agents.answer import Answered, Facts, Failed, ReceiptOffer, RefundOffer, WhyFailed
from wonmu.desk.agents.consult import Consultation, Told
from wonmu.desk.agents.specialist import Workroom
from wonmu.desk.billing.port import ReceiptKind
from wonmu.errors import ProgrammingError
from wonmu.hospital.billing import SpecialistLimits
from wonmu.model.ladder import Limits
from wonmu.model.port import Rung
from wonmu.policy.claims import Blocked, check_sentence
from wonmu.policy.verdict import Action
from wonmu.timeline.events import Kind
from wonmu.visit.host import Host
from wonmu.visit.proof import learned_bills

Which = Literal["refund"] | ReceiptKind


@dataclass(frozen=True, slots=True)
class Wanted:
    """Something that can be asked for: one offer, or (``which``) a choice among several bills."""

    offer: RefundOffer | ReceiptOffer | None
    which: Which | None

    @property
    def action(self) -> Action:
        refund = self.which == "refund" or isinstance(self.offer, RefundOffer)
        return Action.REFUND_REQUEST if refund else Action.RECEIPT_REQUEST

    @property
    def tool(self) -> str:
        """The tool by which the owner of the talk would have asked for it itself."""
        return "request_refund" if self.action is Action.REFUND_REQUEST else "receipt_request"


@dataclass(frozen=True, slots=True)
class Heard:
    """What of the answers may be said, and what was not answered."""

    words: tuple[str, ...]
    facts: tuple[Facts, ...]
    failures: tuple[Failed, ...]

    @property
    def wanted(self) -> Wanted | None:
        """What the answers found that can be asked for, if anything."""
        offer = next((facts.offer for facts in self.facts if facts.offer is not None), None)
        if offer is not None:
            return Wanted(offer, None)
        # A choice is only put when nothing else was answered beside it.
        alone = self.facts[0] if len(self.facts) == 1 and not self.failures else None
        return Wanted(None, alone.which) if alone is not None and alone.which is not None else None

    @property
    def ledger_failure(self) -> Failed | None:
        return next((each for each in self.failures if each.why is WhyFailed.LEDGER), None)


def consultation(host: Host, rungs: tuple[Rung, ...], limits: Limits) -> Consultation:
    """The specialists of one talk. Only where the hospital has a ledger."""
    front = host.desk
    if front.ledger is None:
        raise ProgrammingError("specialists without a ledger")
    billing = front.hospital.billing
    return Consultation(
        Workroom(
            hospital=front.hospital.name,
            ledger=front.ledger,
            lines=host.lines,
            recorder=host.recorder,
            clock=front.clock,
            rungs=rungs,
            certificates=billing.certificates if billing is not None else (),
            limits=billing.limits if billing is not None else SpecialistLimits(),
            model_limits=limits,
        )
    )


def heard_of(host: Host, told: tuple[Told, ...]) -> Heard:
    """The answers, each checked against what this talk can prove; what was read is learned."""
    words: list[str] = []
    facts: list[Facts] = []
    failures: list[Failed] = []
    for each in told:
        match each.answer:
            case Answered(text=text, facts=found):
                learned_bills(host, found.read)
                if _proven(host, text):
                    words.append(text)
                    facts.append(found)
                else:
                    failures.append(Failed(WhyFailed.UNTRUE))
            case Failed() as failure:
                failures.append(failure)
            case _:
                failures.append(Failed(WhyFailed.EMPTY))
    return Heard(tuple(words), tuple(facts), tuple(failures))


def _proven(host: Host, text: str) -> bool:
    """Whether this talk can prove what the answer claims; amounts were checked by the tools'."""
    verdict = check_sentence(text, host.state.receipts)
    if isinstance(verdict, Blocked):
        host.recorder.write(Kind.CLAIM_BLOCKED, {"kind": verdict.kind.value})
        return False
    return True
