"""Words that are recognised in callers' speech: medical departments, titles, surnames.

Decides nothing. The list of departments is here so that one this hospital lacks is noticed as
itself: "신경외과" must not be heard as "외과".
"""

from __future__ import annotations

import re

_SPECIALTIES = """
    가정의학과 감염내과 구강악안면외과 구강외과 내과 내분비내과 대장항문외과 류마티스내과
    마취통증의학과 방사선과 방사선종양학과 병리과 부인과 비뇨기과 비뇨의학과 산부인과
    성형외과 소아과 소아외과 소아청소년과 소아치과 소청과 소화기내과 순환기내과 신경과
    신경외과 신장내과 심장내과 심장외과 심장혈관흉부외과 안과 알레르기내과 영상의학과 외과
    유방외과 응급의학과 이비인후과 재활의학과 정신건강의학과 정신과 정형외과 종양내과
    진단검사의학과 치과 통증의학과 피부과 한방과 한방내과 항문외과 핵의학과 혈관외과
    혈액종양내과 호흡기내과 흉부외과 갑상선외과 간담췌외과 직업환경의학과
"""

DEPARTMENTS = tuple(_SPECIALTIES.split())
"""The specialties of the Medical Service Act's list with their older and their branch names."""

SURNAMES = frozenset(
    "김이박최정강조윤장임한오서신권황안송전홍유고문양손배백허심노하곽성차주우구민류나진지엄채원천방"
    "공현함변염추도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용"
)
"""Common surnames of one syllable. 여 and 남 are left out: 여선생님, 남선생님 are not names."""

LONG_SURNAMES = ("남궁", "황보", "제갈", "사공", "선우", "독고", "서문", "동방")

TITLE = re.compile(
    r"(?P<title>대표원장|부원장|병원장|원장|부과장|과장|전문의|교수|박사|의사|닥터|선생|쌤|샘)"
    r"(?:선생)?님?"
)

NOT_NAMES = (
    "이번", "오늘", "오전", "오후", "지금", "전에", "진료", "한번", "우리", "어제", "어느", "어떤",
    "주말", "주치", "제일", "정말", "한분", "하루", "이제", "저번", "지난", "원래", "현재", "최대",
    "방금", "조금", "전문", "고혈", "허리", "손목", "인공", "외래", "마취", "원하", "유명",
)  # fmt: skip
"""Beginnings of everyday words whose first syllable is also a surname."""

_ANYONE = re.compile(
    r"아무(?:나|분|선생|의사|원장|과장|쌤|샘|한테나)|누구(?:든|라도|여도|시든|셔도|한테든)"
    r"|(?:상관|관계)(?:은|이|도)?(?:없|안)|(?:어느|어떤)(?:분|선생님?|의사)(?:이?든|이?나|이?라도)"
    r"|(?:되는|되시는|가능한|가능하신|빠른)(?:분|선생님?)|다괜찮|안가려"
)
_ABOUT_TIME = re.compile(
    r"(?:시간대?|날짜|요일|언제|날|때|오전|오후|아침|저녁)(?:은|는|이|도|든|이든|나)*(?:다)?"
    r"(?:상관|관계)(?:은|이|도)?(?:없|안)\w{0,2}"
)
_NOT_ANYONE = re.compile(r"아무나(?:는|한테)?(?:말고|싫|안)")


def wants_anyone(text: str) -> bool:
    """Whether folded words leave the choice of doctor open; indifference about time does not."""
    left = _ABOUT_TIME.sub("|", text)
    return _ANYONE.search(left) is not None and _NOT_ANYONE.search(left) is None
