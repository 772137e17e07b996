"""What is said when nothing was understood: never the same question for ever (R78).

How often it happened is read off the agent's own words in the talk, since nothing is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence

from wonmu.model.offline.phrases import phrase, sentence


def times_said(agent: Sequence[str], names: Sequence[str]) -> int:
    """How many of the agent's latest turns in a row were one of these sentences.

    A sentence with placeholders is known by the words before the first and after the last one.
    """
    count = 0
    for text in reversed(agent):
        if not any(_is(text, name) for name in names):
            break
        count += 1
    return count


def ladder(agent: Sequence[str], names: Sequence[str], **values: str) -> str:
    """The next of these sentences: the first when none was said just before, at last the last."""
    step = min(times_said(agent, names), len(names) - 1)
    return phrase(names[step], **values)


def _is(text: str, name: str) -> bool:
    known = sentence(name)
    if "{" not in known:
        return known in text
    head, tail = known.split("{")[0], known.rsplit("}", 1)[1]
    return bool(head or tail) and head in text and tail in text
