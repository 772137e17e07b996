"""What a hospital lets the agent do by itself (T7).

Decided in front of the tools that work from settings alone; no prompt and no model has a say.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from wonmu.policy.verdict import Action, Allow, ByMemo, ByPerson


class ActionMode(StrEnum):
    AUTO = "auto"
    TRANSFER = "transfer"
    LEAVE_MEMO = "leave_memo"


BOOKING_ACTIONS = frozenset(
    {
        Action.BOOKING_CREATE,
        Action.BOOKING_INQUIRE,
        Action.BOOKING_CHANGE,
        Action.BOOKING_CANCEL,
    }
)

BILLING_ACTIONS = frozenset(
    {Action.BILLING_ASK, Action.REFUND_REQUEST, Action.RECEIPT_REQUEST},
)

WORK = BOOKING_ACTIONS | BILLING_ACTIONS
"""What a hospital decides the mode of."""

Modes = Mapping[Action, ActionMode]


def by_mode(action: Action, modes: Modes) -> Allow | ByPerson | ByMemo:
    """What the hospital wants done with this action.

    Modes are for bookings and bills; connecting and ending are always the agent's. Work that the
    settings do not name goes to a person: silence of the settings is not permission.
    """
    if action not in WORK:
        return Allow()
    match modes.get(action):
        case ActionMode.AUTO:
            return Allow()
        case ActionMode.LEAVE_MEMO:
            return ByMemo("mode")
        case ActionMode.TRANSFER:
            return ByPerson("mode")
        case None:  # pragma: no branch - the match is exhaustive
            return ByPerson("no_mode_set")
