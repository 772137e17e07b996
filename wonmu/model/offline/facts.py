"""The published facts, read back out of the prompt, and looked up by the caller's words (T2).

Decides which published answer fits a question, or that none does. It must never put facts together
into a new one: what is not written is not known.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

HEADING = "## 안내 자료"
WEEKDAYS = "월화수목금토일"
_DAY_LINE = re.compile(r"^\s*-?\s*([월화수목금토일])요일\s*:\s*(.+)$")
_HEADER = re.compile(r"^(\S[^:\n]{0,19}?)\s*:\s*(.*)$")
_QUESTION = re.compile(r"^\s*-?\s*질문\s*:\s*(.+?)\s*(?:\(다른 말\s*:\s*(.*?)\)\s*)?$")
_ANSWER = re.compile(r"^\s*답\s*:\s*(.+)$")
_DEPARTMENT = re.compile(r"^\s*-\s*([^:\n]+?)\s*:\s*(.*)$")
_LUNCH = re.compile(r"점심(?:\s*시간)?(?:은|:)?\s*([^,;)]+)")
_SHUT = re.compile(r"휴진|휴무|쉽니다|쉬는 날|진료 없음")
# Endings and question words that every question shares say nothing about its subject.
_COMMON = re.compile(
    r"되나요|돼요|되요|됩니까|되는지|있나요|있어요|있습니까|있을까요|인가요|이에요|예요|하나요|해요|"
    r"할까요|하죠|하는지|가능한가요|가능해요|가능한지|어떻게|어디|얼마|무엇|언제|몇|제가|저는|혹시|"
    r"그런데|근데|거기|병원|문의|궁금|알려|주세요|싶은데요|여쭤|[?.!,~\s]"
)
_ASKING_ONLY = re.compile(r"(얼마|언제|어디|몇|어떻게|무엇|뭐)")
_MATCH = 0.5
"""Least share of a published question's syllable pairs that the caller's words must contain."""


@dataclass(frozen=True, slots=True)
class Doctor:
    name: str
    title: str
    department: str

    @property
    def spoken(self) -> str:
        return f"{self.name} {self.title}".strip()


@dataclass(frozen=True, slots=True)
class Faq:
    question: str
    answer: str
    keywords: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facts:
    """What the hospital has published, as far as the prompt carries it."""

    name: str = ""
    address: str = ""
    phone: str = ""
    hours: tuple[tuple[str, str], ...] = ()
    """Weekday letter and the hours as written, Monday first."""
    days_off: tuple[str, ...] = ()
    holidays: str = ""
    """What is published about public holidays at large."""
    today: str = ""
    """Today as written, with its weekday; empty when the prompt does not say."""
    rota: tuple[tuple[str, str], ...] = ()
    """Doctor's name and the weekdays as written."""
    departments: tuple[str, ...] = ()
    doctors: tuple[Doctor, ...] = ()
    faq: tuple[Faq, ...] = ()
    certificates: tuple[tuple[str, str], ...] = ()
    """Name of a paper and its published fee as written."""

    def hours_of(self, weekday: str) -> str:
        return next((text for day, text in self.hours if day == weekday), "")

    def lunch(self) -> str:
        """The lunch break as written, when every day that has one has the same."""
        found = {m.group(1).strip() for _, text in self.hours if (m := _LUNCH.search(text))}
        return found.pop() if len(found) == 1 else ""

    def answer_to(self, words: str, *, least: float = _MATCH) -> str:
        """The published answer that fits these words best, or nothing.

        With ``least=1`` one of its keywords must have been said.
        """
        said = _bare(words)
        best, best_score = "", 0.0
        for entry in self.faq:
            score = _score(entry, said)
            if score >= least and score > best_score:
                best, best_score = entry.answer, score
        return best


def is_shut(hours: str) -> bool:
    """Whether an hours text says that the day is off."""
    return bool(_SHUT.search(hours)) and not re.search(r"\d", hours.split("(")[0])


def _bare(words: str) -> str:
    bare = re.sub(r"[\s?.!,~·'\"]", "", words)
    return re.sub(r"예약을?(?:안하고|안하면|하지않고)", "예약없이", bare)


def _score(entry: Faq, said: str) -> float:
    """Keyword hits count by their length; else the share of the question's syllable pairs."""
    hits = [_weight(key) for word in entry.keywords if len(key := _bare(word)) >= 2 and key in said]
    pairs = _pairs(_COMMON.sub("", entry.question))
    share = len(pairs & _pairs(_COMMON.sub("", said))) / len(pairs) if pairs else 0.0
    if hits:
        return 1.0 + max(hits) + 0.1 * len(hits) + share
    return min(share, 0.99)


def _weight(key: str) -> float:
    """A keyword's length; a bare question word ("얼마예요") yields to any that names a thing."""
    return 0.5 if _ASKING_ONLY.match(key) else float(len(key))


def _pairs(text: str) -> frozenset[str]:
    return frozenset(text[at : at + 2] for at in range(len(text) - 1))


@lru_cache(maxsize=64)
def read_facts(prompt: str) -> Facts:
    """The facts section of a prompt; an empty Facts when there is none."""
    _, found, rest = prompt.partition(HEADING)
    if not found:
        return Facts()
    section = re.split(r"^##? ", rest, maxsplit=1, flags=re.MULTILINE)[0]
    reader = _Reader()
    for line in section.splitlines():
        reader.take(line.rstrip())
    return reader.facts()


class _Reader:
    """Goes through the section line by line; ``_block`` is the heading it stands under."""

    def __init__(self) -> None:
        self._block = ""
        self._plain: dict[str, str] = {}
        self._hours: dict[str, str] = {}
        self._days_off: list[str] = []
        self._departments: dict[str, str] = {}
        self._rota: list[tuple[str, str]] = []
        self._faq: list[Faq] = []
        self._certificates: list[tuple[str, str]] = []
        self._asked: re.Match[str] | None = None

    def take(self, line: str) -> None:
        if not line.strip():
            return
        if asked := _QUESTION.match(line):
            self._asked = asked
        elif (told := _ANSWER.match(line)) and self._asked is not None:
            words = tuple(w.strip() for w in (self._asked.group(2) or "").split(",") if w.strip())
            self._faq.append(Faq(self._asked.group(1), told.group(1).strip(), words))
            self._asked = None
        elif day := _DAY_LINE.match(line):
            self._hours[day.group(1)] = day.group(2).strip()
        elif (part := _DEPARTMENT.match(line)) and self._block.startswith("진료과"):
            self._departments[part.group(1)] = part.group(2)
        elif part and self._block.startswith("의사별"):
            self._rota.append((_name_and_title(part.group(1))[0], part.group(2)))
        elif part and self._block.startswith("제증명"):
            self._certificates.append((part.group(1), part.group(2).strip()))
        elif line.lstrip().startswith("-") and "휴" in self._block:
            self._days_off.append(line.lstrip(" -"))
        elif not line.startswith("-") and (header := _HEADER.match(line)):
            self._head(header.group(1).strip(), header.group(2).strip())

    def _head(self, name: str, value: str) -> None:
        self._block = name
        if value:
            self._plain[name] = value

    def facts(self) -> Facts:
        doctors = [
            Doctor(*_name_and_title(one), department)
            for department, names in self._departments.items()
            for one in names.split(",")
            if one.strip() and not _SHUT.search(one)
        ]
        return Facts(
            name=self._plain.get("병원", ""),
            address=self._plain.get("주소", ""),
            phone=self._plain.get("전화", ""),
            hours=tuple((day, self._hours[day]) for day in WEEKDAYS if day in self._hours),
            days_off=tuple(self._days_off),
            holidays=self._plain.get("공휴일", ""),
            today=self._plain.get("오늘", ""),
            rota=tuple(self._rota),
            departments=tuple(self._departments),
            doctors=tuple(doctors),
            faq=tuple(self._faq),
            certificates=tuple(self._certificates),
        )


def _name_and_title(text: str) -> tuple[str, str]:
    name, _, title = re.sub(r"\(.*?\)", "", text).strip().partition(" ")
    return name, title.strip()


def split_list(text: str) -> tuple[str, ...]:
    """ "내과, 정형외과" → its items, without what stands in brackets."""
    bare = re.sub(r"\([^)]*\)", "", text)
    return tuple(item.strip() for item in bare.split(",") if item.strip())


def doctors_from_state(text: str) -> tuple[Doctor, ...]:
    """ "김서연(내과), …" → doctors."""
    found: Mapping[str, str] = dict(re.findall(r"([가-힣]{2,5})[^,(]*\(([^)]*)\)", text))
    names = split_list(text)
    return tuple(Doctor(n.split(" ")[0], "", found.get(n.split(" ")[0], "")) for n in names)
