"""Offers the agent made, and whether the caller took one up (T4, T5, T8).

A yes counts for exactly the action that was proposed in the agent's turn just before it, once.
It must never carry a yes over to another action or a later turn.

``turn`` is the number of the agent's turns so far: the turn that makes the proposal, and for the
caller's words the last agent's turn before them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from wonmu.korean.answers import Answer, Topic, is_bare_yes, read_answer
from wonmu.korean.folding import fold, folded_sentences
from wonmu.policy.verdict import Action


@dataclass(frozen=True, slots=True)
class Accepted:
    action: Action


@dataclass(frozen=True, slots=True)
class Declined:
    action: Action


@dataclass(frozen=True, slots=True)
class Closed:
    """The proposal is gone without an answer to it."""

    action: Action


@dataclass(frozen=True, slots=True)
class Kept:
    """The caller did not understand; the proposal stays if the agent's next turn repeats it."""

    action: Action


ProposalReading = Accepted | Declined | Closed | Kept | None


@dataclass(frozen=True, slots=True)
class _Open:
    action: Action
    turn: int


class Proposals:
    """At most one open proposal and at most one accepted one."""

    def __init__(self) -> None:
        self._open: _Open | None = None
        self._accepted: Action | None = None

    @property
    def open(self) -> Action | None:
        return None if self._open is None else self._open.action

    @property
    def accepted(self) -> Action | None:
        """What the caller's latest words agreed to, as long as it was not used."""
        return self._accepted

    def propose(self, action: Action, turn: int) -> Closed | None:
        """Open a proposal in the agent's turn ``turn``; another one is closed by it."""
        old, self._open, self._accepted = self._open, _Open(action, turn), None
        return None if old is None or old.action is action else Closed(old.action)

    def agent_turn(self, turn: int) -> Closed | None:
        """The agent spoke a turn. A proposal of an earlier turn, or an unused yes, is closed."""
        self._accepted = None
        if self._open is None or self._open.turn == turn:
            return None
        return self._close()

    def caller_turn(self, words: str, turn: int) -> ProposalReading:
        """Read the caller's words. Anything but a plain yes closes; "네?" keeps (``Kept``)."""
        self._accepted = None
        if self._open is None:
            return None
        if self._open.turn != turn:
            return self._close()
        action = self._open.action
        match _read(words, action):
            case Answer.YES:
                self._open, self._accepted = None, action
                return Accepted(action)
            case Answer.NO:
                self._open = None
                return Declined(action)
            case Answer.REPEAT:
                return Kept(action)
            case Answer.UNCLEAR | Answer.NONE:  # pragma: no branch - the match is exhaustive
                return self._close()

    def drop(self) -> Closed | None:
        """The caller did something that is no answer in words (pressed a key of the menu)."""
        self._accepted = None
        return self._close()

    def use(self, action: Action) -> bool:
        """Spend the yes on ``action``; False if there is none for exactly this action."""
        if self._accepted is not action:
            return False
        self._accepted = None
        return True

    def _close(self) -> Closed | None:
        old, self._open = self._open, None
        return None if old is None else Closed(old.action)


_TOPIC = {
    Action.BOOKING_CREATE: Topic.BOOKING,
    Action.BOOKING_INQUIRE: Topic.BOOKING,
    Action.BOOKING_CHANGE: Topic.CHANGE,
    Action.BOOKING_CANCEL: Topic.CANCEL,
    Action.BILLING_ASK: Topic.BOOKING,
    Action.REFUND_REQUEST: Topic.BOOKING,
    Action.RECEIPT_REQUEST: Topic.BOOKING,
    Action.CONNECT_PERSON: Topic.PERSON,
    Action.END_CALL: Topic.BOOKING,
}
_HESITATION = re.compile(r"(?:음+|어+|그+|저+|아+|흠+)*")
# The closing question is answered by a goodbye as well as by a yes.
_GOODBYE = re.compile(
    r"(?:네|예|아니요|아뇨|없어요|없습니다|괜찮아요|됐어요|감사합니다|고맙습니다|그럼)*"
    r"(?:수고하세요|수고하십시오|들어가세요|안녕히계세요|끊을게요|끊어도돼요|끊으세요|끊어주세요)"
)
# "없어요" answers "is there nothing more?" and not yet "may we end?": the question comes again.
_NOTHING_MORE = re.compile(
    r"(?:네|예|아니요|아니|아뇨|이제|더|따로|다른건)*(?:없어요|없습니다|없는데요|없네요|없어)"
)
# "그 시간으로 할게요" picks a time; nobody offered one who offered a person or the end of the call.
_OF_A_VISIT = re.compile(r"시간|그때|그날|날짜|선생님|원장님|과장님")
_NO_VISIT = frozenset({Action.CONNECT_PERSON, Action.END_CALL})


def _read(words: str, action: Action) -> Answer:
    folded = fold(words)
    if _HESITATION.fullmatch(folded):
        return Answer.REPEAT
    if action is Action.END_CALL and _NOTHING_MORE.fullmatch(folded):
        return Answer.REPEAT
    if action is Action.END_CALL and _GOODBYE.fullmatch(folded):
        return Answer.YES
    reading = read_answer(words, topic=_TOPIC[action])
    if action is Action.END_CALL and reading.answer is Answer.YES and not is_bare_yes(words):
        # "예약해 주세요" says yes to an offered booking; to the end of the call it says no.
        return Answer.UNCLEAR
    if action in _NO_VISIT and reading.answer is Answer.YES and _OF_A_VISIT.search(folded):
        return Answer.UNCLEAR
    more_than_yes = reading.answer is Answer.YES and reading.rest != ""
    return Answer.UNCLEAR if more_than_yes else reading.answer


_OFFER_END = (
    r"(?:드릴까요|드려도될까요|드려볼까요|하시겠어요|하시겠습니까|하실까요|하실래요|받으시겠어요|받으시겠습니까|"
    r"원하세요|원하시나요|원하십니까|원하시는가요|할까요|볼까요|될까요|괜찮으실까요|괜찮으세요|필요하세요|"
    r"필요하신가요|필요하십니까|잡을까요|마칠까요|끊을까요|옮길까요|바꿀까요)$"
)
_OFFERS = (
    (
        Action.CONNECT_PERSON,
        re.compile(r"(?:상담원|상담사|직원|담당자|원무과|사람).{0,10}(?:연결|바꿔|통화)"),
    ),
    (Action.END_CALL, re.compile(r"(?:통화|전화|상담).{0,4}(?:마칠까요|종료|끊|마무리|마쳐|끝낼)")),
    (
        Action.BOOKING_CHANGE,
        re.compile(r"변경|(?:예약|일정|날짜|시간).{0,12}(?:바꿔|옮겨|바꿀|옮길|미뤄|당겨)"),
    ),
    (Action.BOOKING_CANCEL, re.compile(r"취소")),
    (Action.BOOKING_INQUIRE, re.compile(r"예약.{0,8}(?:확인|조회|알아봐)")),
    (
        # 예약 must be the thing done, not the thing that is changed: "예약 날짜를 바꿔 드릴까요".
        Action.BOOKING_CREATE,
        re.compile(
            r"(?:예약|접수)(?:을|를|도|부터|먼저|좀|새로|바로)*(?:도와|진행|해드|해도|하시|하실|할까|잡|원하|받으|필요)|"
            r"진료(?:를)?(?:잡|받으시겠)"
        ),
    ),
)


def find_proposal(agent_text: str) -> Action | None:
    """The action that the agent's free text offers in its last sentence; None if none.

    A choice between two actions is no proposal of either: a bare yes would not say which.
    """
    sentences = folded_sentences(agent_text)
    if not sentences or not re.search(_OFFER_END, sentences[-1]):
        return None
    offered = {action for sentence in sentences for action in _offered_in(sentence)}
    last = _offered_in(sentences[-1])
    return last[0] if len(last) == 1 and len(offered) == 1 else None


def _offered_in(sentence: str) -> tuple[Action, ...]:
    """Actions offered in one sentence."""
    if not re.search(_OFFER_END, sentence):
        return ()
    return tuple(action for action, pattern in _OFFERS if pattern.search(sentence))
