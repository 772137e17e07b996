"""What a caller says about the visit while something else is going on (S4).

Decides which work takes such words up later, so that nobody is promised what nothing will do.
"""

from __future__ import annotations

from wonmu.policy.verdict import Action

USES_ASIDES = (Action.BOOKING_CREATE, Action.BOOKING_CHANGE)
"""The work that takes up what was said about the visit. To promise it elsewhere would be untrue."""
