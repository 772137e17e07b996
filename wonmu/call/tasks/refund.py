"""The caller's yes to exactly one refund, to the won (T8, T9, N1).

A read-back like that of every act; the draft of the refund hears each step of it and has the last
word on the yes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from livekit.agents import llm

from wonmu.call.tasks.confirm import Act, ConfirmTask
from wonmu.desk.billing.refund import Consent, RefundDraft, Staged
from wonmu.korean.answers import Topic
from wonmu.timeline.events import Kind

if TYPE_CHECKING:
    from wonmu.call.session import Call
    from wonmu.call.state import CallerTurn


class RefundTask(ConfirmTask):
    """Completes with True only when the draft holds the consent."""

    def __init__(
        self, call: Call, draft: RefundDraft, staged: Staged, patient: str, context: llm.ChatContext
    ) -> None:
        self._draft = draft
        self._staged = staged
        invoice = staged.invoice
        act = Act(
            "refund",
            "billing.readback_refund",
            {
                "patient": patient,
                "day": invoice.visit_day,
                "department": invoice.department,
                "what": invoice.what,
                "amount": staged.amount,
            },
            Topic.BOOKING,
            (),
            readback=Kind.REFUND_READBACK,
            consent=Kind.REFUND_CONSENT,
            of=staged.digest,
        )
        super().__init__(call, act, context)

    def begun(self, text: str) -> None:
        self._draft.readback_started(self._staged.digest, text, self.call.state.speeches)

    def ended_speaking(self, full: bool) -> None:
        if full:
            self._draft.readback_heard(self._staged.digest)
        else:
            self._draft.interrupted(self._staged.digest)

    def agreed(self, turn: CallerTurn) -> bool:
        given = self._draft.consent(self._staged.digest, turn.text, turn.after)
        return isinstance(given, Consent)
