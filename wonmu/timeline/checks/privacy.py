"""N3 and N8: what must not go out, and to whom.

N3: nothing of the record system about a person before identity, in speech or to a model. What the
caller said first is no disclosure. N8: keypad digits, birth dates and resident numbers never in a
field that is not marked personal, never in a masked export, a log line or a model request.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wonmu.timeline.checks.people import strangers_told
from wonmu.timeline.events import PERSONAL, Event, Kind
from wonmu.timeline.masking import masked
from wonmu.timeline.reading import before, of, squeezed, text
from wonmu.timeline.spoken import leaks
from wonmu.timeline.view import CallView, Check, NotChecked, Violation


def check_identity(view: CallView) -> tuple[Violation, ...]:
    """N3."""
    if not view.secrets:
        raise NotChecked("no strings of the record system were given")
    verified = _verified_at(view)
    spoken = tuple(_spoken_secrets(view, verified))
    return (*spoken, *strangers_told(view.events), *_requested_secrets(view, verified))


def check_private(view: CallView) -> tuple[Violation, ...]:
    """N8."""
    if not view.private:
        raise NotChecked("no private strings were given")
    return tuple(_leaks(view))


def _verified_at(view: CallView) -> float:
    settled = of(view.events, Kind.IDENTITY_SETTLED)
    seqs = (event.seq for event in settled if text(event, "outcome") == "verified")
    return min(seqs, default=float("inf"))


def _spoken_secrets(view: CallView, verified: float) -> Iterator[Violation]:
    for event in of(view.events, Kind.AGENT_SAID, Kind.AGENT_SPEAKING):
        words = squeezed(f"{text(event, 'text')} {text(event, 'heard')}")
        if event.seq < verified and _gives_away(view, words, event.seq):
            yield Violation(
                Check.N3, "something about a person was said before identity", event.seq
            )


def _requested_secrets(view: CallView, verified: float) -> Iterator[Violation]:
    for request in view.model_requests:
        words = squeezed(request.text)
        if request.after_seq < verified and _gives_away(view, words, request.after_seq + 1):
            yield Violation(
                Check.N3, "a model was told about a person before identity", request.after_seq
            )


def _gives_away(view: CallView, words: str, seq: int) -> bool:
    said = " ".join(
        squeezed(text(event, "text")) for event in before(view.events, seq, Kind.CALLER_HEARD)
    )
    secrets = (squeezed(secret) for secret in view.secrets)
    return any(secret in words and secret not in said for secret in secrets)


def _leaks(view: CallView) -> Iterator[Violation]:
    for event in view.events:
        if _any_leak(view, _unmasked_text(event)):
            yield Violation(Check.N8, f"private digits in {event.kind.value}", event.seq)
        elif _any_leak(view, _all_text(masked(event).data)):
            yield Violation(Check.N8, f"private digits in a masked {event.kind.value}", event.seq)
    for request in view.model_requests:
        if _any_leak(view, request.text):
            yield Violation(Check.N8, "private digits in a model request", request.after_seq)
    for line in view.logs:
        if _any_leak(view, line):
            yield Violation(Check.N8, "private digits in a log line")


def _any_leak(view: CallView, written: str) -> bool:
    return any(leaks(private, written) for private in view.private)


def _unmasked_text(event: Event) -> str:
    personal = PERSONAL.get(event.kind, frozenset())
    return _all_text({k: v for k, v in event.data.items() if k not in personal})


def _all_text(value: object) -> str:
    if isinstance(value, Mapping):
        return "\n".join(f"{key}\n{_all_text(inner)}" for key, inner in value.items())
    if isinstance(value, (list, tuple, set, frozenset)):
        return "\n".join(_all_text(inner) for inner in value)
    return str(value)
