"""What moving a booking adds to a wish for a time (B3, S8).

"하루만 늦게" asks for a later day: when that very day is not free, a time on the old day or before
is no answer to it, however near it lies.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta

from wonmu.korean.when import When

_LATER = re.compile(r"늦|뒤로|미루|미뤄|미룰|연기|다음\s*날")
_EARLIER = re.compile(r"당기|당겨|당길|앞당|일찍|앞으로|빨리|전날")
_AROUND = 14
"""Days on the wrong side that are ruled out; a search looks no further around a wish."""


def on_that_side(when: When, words: str, old: date) -> When:
    """The wish without the days on the wrong side of ``old``; unchanged if no side was said."""
    if when.day_from is None or when.day_to is None:
        return when
    if _LATER.search(words) and when.day_from > old:
        ruled_out = [old - timedelta(days=number) for number in range(_AROUND)]
    elif _EARLIER.search(words) and when.day_to < old:
        ruled_out = [old + timedelta(days=number) for number in range(_AROUND)]
    else:
        return when
    return replace(when, not_days=(*when.not_days, *sorted(ruled_out)))
