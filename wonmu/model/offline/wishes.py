"""Which department, doctor and time a caller names – always in the caller's own words (B5).

Decides nothing about calendars or lists: it cuts words out, and code turns them into ids and dates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

ANYONE = "상관없음"


def _words(table: str) -> tuple[str, ...]:
    return tuple(table.split())


_DEPARTMENTS = _words(
    "정형외과 신경외과 흉부외과 성형외과 심장혈관흉부외과 일반외과 외과 소화기내과 "
    "순환기내과 심장내과 호흡기내과 내분비내과 신장내과 류마티스내과 감염내과 "
    "혈액종양내과 일반내과 내과 신경과 소아청소년과 소아과 소청과 산부인과 부인과 "
    "산과 피부과 안과 이비인후과 비뇨의학과 비뇨기과 정신건강의학과 정신과 치과 "
    "재활의학과 가정의학과 영상의학과 마취통증의학과 통증의학과 응급의학과 한방과 "
    "건강검진센터 건강검진 검진센터 종합검진 물리치료실 도수치료실"
)
ALIASES = {
    "소아과": "소아청소년과",
    "소청과": "소아청소년과",
    "비뇨기과": "비뇨의학과",
    "정신과": "정신건강의학과",
    "통증의학과": "마취통증의학과",
    "검진센터": "건강검진센터",
    "건강검진": "건강검진센터",
}
_TITLES = r"(?:선생님|샘|쌤|원장님?|과장님?|교수님?|전문의|의사\s*선생님|닥터)"
_NO_NAMES = frozenset(
    _words(
        "아무 다른 담당 그 이 저 어느 어떤 여자 남자 의사 주치의 전문의 좋은 친절한 "
        "무슨 대표 모든 보던 그때 봐주신 계신 같은 우리 저희 새로운 젊은 잘하는 "
        "유명한 빠른 되는 한 두 병원 진료 간호사 여기 거기 있는 없는 아까 지난번 "
        "처음 원래 내과 외과 안과 치과"
    )
)
_ANY_DOCTOR = re.compile(
    r"아무\s*(?:나|분|선생님|의사|원장님|과장님)|(?:선생님|의사|원장님|과장님|누구|어느\s*분|분)(?:은|는|이|든|이든|이라도|도)*\s*"
    r"(?:상관\s*없|관계\s*없|다\s*괜찮|괜찮)|누구(?:든|라도|나)"
)
_NO_MATTER = re.compile(
    r"상관\s*없|관계\s*없|아무나|아무\s*분|다\s*괜찮|아무래도|누구든|빠른\s*(?:분|선생님)|없어요|없는데요|따로\s*없"
)
_USUAL = re.compile(
    r"(?:늘|항상|맨날|전에|지난번에|원래|계속)\s*(?:보던|봐\s*주시던|봐주신|진료받던|보시던)\s*"
    + _TITLES
)

_NATIVE = r"(?:열두|열한|열|아홉|여덟|일곱|여섯|다섯|네|세|두|한)"
_SINO = r"(?:[이삼]?십[일이삼사오육칠팔구]?|[일이삼사오육칠팔구])"
_WHEN = re.compile(
    r"(?:다다음|다음|담|이번|돌아오는|오는|금)\s*(?:주|달|번\s*주|월요일|화요일|수요일|목요일|금요일|토요일|일요일)|"
    r"[월화수목금토일]요일|(?<![가-힣])[월화수목금토]욜|(?:오늘|내일|낼|모레|글피|그글피|내일모레)|주말|평일|"
    r"월말|월초|말일|연말|연초|(?:이달|달)\s*(?:말|초)|오전|오후|아침|저녁|점심\s*(?:때|무렵|시간|쯤|전|후|이후)|새벽|"
    r"(?<!\d)\d{1,2}\s*(?:월|일(?!곱)|시(?!간)|:\d{2})(?!\s*(?:동|분만))|\d{1,2}\.\d{2}|"
    + _NATIVE
    + r"\s*시(?!간)(?:\s*반)?|"
    + r"(?<![가-힣])(?:십[일이]?|유|시|[일이삼사오육칠팔구])월(?:달|요일)?|(?<![가-힣])"
    + _SINO
    + r"일(?=\s*(?:에|날|로|이요|이후|이전|까지|쯤|$|오|아))|(?<=월\s)"
    + _SINO
    + r"일|"
    r"(?:제일|가장|최대한|젤)\s*(?:빠른|빨리|빠르|이른|일찍)|빠른\s*(?:시간|날|걸|거|날짜|자리)|"
    r"아무\s*(?:때|날)(?:나)?|언제든|언제라도|추석|설날|설\s*(?:연휴|지나|전|쇠)|연휴|크리스마스|성탄절|"
    r"어린이날|광복절|개천절|한글날|현충일|삼일절|보름|사흘|나흘|닷새|열흘|일주일|이주일|이틀|"
    r"(?:한|두|세|네)\s*(?:달|주)\s*(?:뒤|후|있다)|\d+\s*(?:주|일|달|개월)\s*(?:뒤|후)|"
    r"그\s*(?:다음\s*날|날|주)|다음\s*날|(?:하루|(?:한|두)\s*시간)(?:만|쯤)?\s*(?:뒤|늦게?|일찍|빨리?|앞|당겨?)|"
    r"(?:더|좀|조금)\s*(?:늦게|늦은|일찍|이른|빨리|빠른)|같은\s*(?:요일|시간)|퇴근\s*후|정오"
)
_PAST = re.compile(
    r"어제|그저께|그제|지난\s*(?:주|달|번|해)|작년|(?<!오)전에|(?<!오)전부터|했었|갔었|왔었|부터\s*(?:아|열|기침|콧|계속)|"
    r"다쳤|생일|생이|년생|살이|개월"
)
_QUESTION_TIME = re.compile(r"몇\s*시|언제부터|며칠\s*(?:이나|동안)")
_TAIL = re.compile(
    r"\s*(?:이?후|이?전|지나고|지나서|끝나고|까지|부터|말고|빼고|아니고|아니|쯤|정도|경|뒤|후|사이|이나|"
    r"늦게|일찍|중에|말|초|반|가능|되|괜찮)[가-힣]*"
)
_OTHER = re.compile(
    r"(?:우리|저희|제)?\s*(?:아이(?!고|스|디)|애기|아기|아들|딸(?!기)|엄마|어머니|어머님|아빠|아버지|아버님|남편|아내|와이프|"
    r"집사람|할머니|할아버지|부모님|동생|손자|손녀|조카|장모님?|장인|시어머니|시아버지|언니|오빠|누나|형님|이모|"
    r"친구|신랑|애가|애\s*(?:때문|예약|진료)|아내분)"
)


@dataclass(frozen=True, slots=True)
class Named:
    """The caller's words for each part; None where nothing was said."""

    department: str | None = None
    doctor: str | None = None
    when: str | None = None

    def filled_from(self, earlier: Named) -> Named:
        """This, with gaps filled from what was said before."""
        return Named(
            self.department or earlier.department,
            self.doctor or earlier.doctor,
            self.when or earlier.when,
        )

    def __bool__(self) -> bool:
        return bool(self.department or self.doctor or self.when)


def read_named(words: str, departments: Iterable[str], doctors: Iterable[str]) -> Named:
    """Everything named in one turn."""
    return Named(find_department(words, departments), find_doctor(words, doctors), find_when(words))


def find_department(words: str, known: Iterable[str]) -> str | None:
    """The last department named, the longest name at its place ("정형외과" is no "외과")."""
    names = sorted({*known, *_DEPARTMENTS}, key=len, reverse=True)
    kept = after_correction(words)
    found: tuple[int, str] | None = None
    rest = kept
    for name in names:
        at = rest.rfind(name)
        if at >= 0:
            rest = rest.replace(name, "\0" * len(name))
            if found is None or at > found[0]:
                found = (at, name)
    return found[1] if found else None


def canonical(department: str, known: Iterable[str]) -> str | None:
    """The published name of a department the caller named, or None."""
    listed = tuple(known)
    if department in listed:
        return department
    other = ALIASES.get(department)
    return other if other in listed else None


def find_doctor(words: str, known: Iterable[str]) -> str | None:
    """The doctor named, in the caller's words, or "상관없음" for anyone."""
    kept = after_correction(words)
    for name in known:
        at = kept.find(name)
        if at >= 0:
            title = re.match(r"\s*" + _TITLES, kept[at + len(name) :])
            return kept[at : at + len(name) + (title.end() if title else 0)]
    if usual := _USUAL.search(kept):
        return usual.group(0)
    if _ANY_DOCTOR.search(kept):
        return ANYONE
    for match in re.finditer(r"([가-힣]{1,4})\s*(?:의사\s*)?(" + _TITLES + ")", kept):
        if match.group(1) not in _NO_NAMES and _may_be_name(match.group(1)):
            return match.group(0)
    bare = re.search(r"(?<![가-힣])원장님", kept)
    return bare.group(0) if bare else None


# A one-syllable name before a title must be a surname; longer ones must start with one.
_SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진지엄채원천방공현함변염여추도소석선설마길연위표명기반라왕금옥육인맹제모탁국어은편용"
)


def _may_be_name(text: str) -> bool:
    if len(text) > 3:
        return False
    return text[0] in _SURNAMES and not re.search(r"(?:은|는|에|로|의|한테|에서|랑)$", text[1:])


def no_matter(words: str) -> bool:
    """Said when asked for a doctor: anyone will do."""
    return bool(_NO_MATTER.search(words))


def find_when(words: str) -> str | None:
    """The words for day and time: from the first to the last of them, with their endings.

    Words about the past change the meaning of what stands beside them ("이틀 전에 다쳤는데"), so
    then the whole turn is handed on for code to read.
    """
    if _QUESTION_TIME.search(words):
        return None
    marks = list(_WHEN.finditer(words))
    if not marks:
        return None
    if _PAST.search(words):
        rest = _without_past(words)
        return words.strip() if _WHEN.search(rest) else None
    start, end = marks[0].start(), marks[-1].end()
    while tail := _TAIL.match(words, end):
        end = tail.end()
    minutes = re.match(r"\s*(?:\d{1,2}|[이삼사오]?십?[일이삼사오육칠팔구]?)\s*분", words[end:])
    return words[start : end + (minutes.end() if minutes else 0)].strip()


def _without_past(words: str) -> str:
    """The words less every time that is told about the past."""
    return re.sub(
        r"(?:\S+\s*){0,3}?(?:전에|전부터|부터)\s*\S*(?:다쳤|아파|아픈|아프|갔|왔|받았|열이|기침)\S*"
        r"|\S+\s*(?:전에|전부터)|지난\s*\S+|(?:\S*년\s*)?(?:\S*월\s*)?\S*생(?:이|입|일)\S*|\S+\s*살",
        " ",
        words,
    )


def for_someone_else(words: str) -> bool:
    """Whether the booking is for another than the caller (B7)."""
    return bool(_OTHER.search(words))


def after_correction(words: str) -> str:
    """What stands after the last "아니(고)" or "말고"; all of it when nothing does."""
    parts = re.split(r"(?:이?\s*아니고|이?\s*아니라|\s말고|아니\s|아니요,?\s|아뇨,?\s)", words)
    last = parts[-1].strip()
    return last if len(last) >= 2 else words
