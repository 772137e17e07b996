"""The words by which callers bound, correct, refuse and tell about times (tables, no logic).

Decides which Korean words mean "after", "until", "not this one", "it hurts since". It never
computes a date. Spaces are optional almost everywhere, because speech recognition sets them freely.
"""

from __future__ import annotations

import re
from datetime import time

NATIVE_HOUR = "열한|열두|한|두|세|네|다섯|여섯|일곱|여덟|아홉|열"
SINO = "[일이삼사오육륙칠팔구십백천]+"
MONTH_WORD = f"(?:\\d{{1,2}}|유|시|{SINO})"
PERIOD_WORD = (
    "이른\\s*아침|늦은\\s*오후|아침|오전|점심\\s*시간|점심\\s*때|점심|한낮|낮|오후|저녁\\s*때|저녁|"
    "새벽|한밤중|심야|밤"
)

CLOCK = re.compile(
    rf"\d{{1,2}}\s*:\s*\d\d|\d{{1,2}}\s*시|(?:영|{NATIVE_HOUR})\s*시|정오|자정|\d\s*분"
)
LITERAL_CLOCK = re.compile(r"(?<!\d)([1-9]|1[0-2]):\d\d")
PERIOD = re.compile(PERIOD_WORD)
TIME_START = re.compile(rf"{PERIOD_WORD}|퇴근|해\s*[질뜰]|동틀|{CLOCK.pattern}")

#: What a part of the day means on the telephone, half-open. Wider than the dictionary where a
#: hospital's own hours cut it anyway (a clinic opening at 08:30 still has an "오전").
PERIODS: dict[str, tuple[time, time]] = {
    "새벽": (time(3), time(7)),
    "이른아침": (time(6), time(9)),
    "아침": (time(6), time(10)),
    "오전": (time(6), time(12)),
    "점심": (time(12), time(14)),
    "점심때": (time(12), time(14)),
    "점심시간": (time(12), time(14)),
    "한낮": (time(12), time(15)),
    "낮": (time(11), time(16)),
    "오후": (time(12), time(18)),
    "늦은오후": (time(12), time(18)),
    "저녁": (time(17), time(21)),
    "저녁때": (time(17), time(21)),
    "밤": (time(19), time(23, 59)),
    "심야": (time(21), time(23, 59)),
    "한밤중": (time(21), time(23, 59)),
}
DAY_BEGIN = time(0)
DAY_END = time(23, 59)

#: "늦게" and "일찍" right after (or inside) a part of the day or a day. "더 늦게" is relative.
LATE = re.compile(r"^\s*에?\s*(?:좀\s*|조금\s*|최대한\s*|제일\s*|가장\s*)?(?:늦게|늦은|느지막|끝)")
EARLY = re.compile(r"^\s*에?\s*(?:좀\s*|조금\s*|최대한\s*|제일\s*|가장\s*)?(?:일찍|이른|첫)")

_P = r"^\s*(?:이|가|을|를|은|는|에|쯤|경|정도|연휴|만)?\s*"
#: After the end of what was named, whatever it is.
AFTER_END = re.compile(
    _P + r"(?:지나고|지나서|지나면|지난\s*(?:다음|담|뒤|후)|끝나고|끝나면|끝난|쇠고|쇠면|"
    r"보내고|넘어서|넘어가서|넘기고|마치고|다음(?:으로|에)|(?:후|뒤)(?:에|로|\s|$)|"
    r".{0,14}?그\s*(?:뒤|후|이후|다음)\s*(?:로|에|으로))"
)
#: From what was named; a feast still has to be over first.
FROM = re.compile(_P + r"(?:이후|부터|넘어)")
#: Up to and without what was named.
BEFORE = re.compile(_P + r"(?:되기\s*)?(?:전까지|이전|전(?:으로|에|이|\s|$))")
#: Up to and with what was named.
UNTIL = re.compile(_P + r"(?:까지|안으로|안에|이내)")

#: "20일 이후" must not be read as "20 days later"; "12일 전까지" not as "12 days ago".
DAY_THEN_BOUND = re.compile(
    rf"(?<![\d시분])(?:{MONTH_WORD}\s*월\s*)?(?:\d{{1,2}}|[일이삼사오육칠팔구십]{{2,4}})\s*일\s*"
    r"(?P<bound>이후|지나고|지나서|이전|전까지|전)"
)
MONTH_DAY_THEN_BOUND = re.compile(
    rf"{MONTH_WORD}\s*월\s*{MONTH_WORD}\s*일\s*(?P<bound>후|뒤|이후|지나고|지나서|이전|전까지|전)"
)
#: "말고 그 다음 날": the day after the one just named.
DAY_AFTER = re.compile(r"^.{0,10}?(?:그\s*다음\s*날|이튿날)")
#: "두 시 말고 더 늦게": another hour than the one named, on this side of it.
LATER_THAN = re.compile(r"^[은는]?\s*(?:말고|보다)\s*(?:좀\s*|조금\s*|더\s*)*(?:늦|뒤)")
SOONER_THAN = re.compile(
    r"^[은는]?\s*(?:말고|보다)\s*(?:좀\s*|조금\s*|더\s*)*(?:일찍|빨리|빠른|이른|앞)"
)
#: The library resolves this correction itself and so loses the week that was meant.
NOT_BUT = re.compile(r"(?<=[가-힣\d])(?:이|가)?\s*아니(?:고|라)(?=\s)")
#: A day of the month in one syllable is read only where nothing else can be meant (R51).
SHORT_DAY = re.compile(
    r"(?<![가-힣\d])(삼|사|오|육|칠|팔|구|십)\s?일(?=\s*(?:로|이요|날|오전|오후|에(?!\s*\S\s*번)))"
)
WITHIN = re.compile(
    r"(하루|이틀|사흘|나흘|닷새|열흘|보름|일주일|이주일|\d{1,2}\s*일|[일이삼]\s*주|한\s*달)\s*"
    r"(?:안에|안으로|이내|내로|내에)"
)

_NO = r"안\s*돼|안\s*되|안\s*됩|안\s*댈|못\s*가|못\s*와|못\s*갑|힘들|힘드|어려|어렵|곤란|불가"
#: The caller takes back what was just said and says something else.
CORRECTION = re.compile(
    r"^\s*(?:은|는|이|가|에|로|으로|요|이요|이에요|예요|에요)?[\s,.]*"
    r"(?:말고|빼고|대신|아니(?!면|어도)|취소하고)"
)
#: The caller rules it out.
REFUSED = re.compile(
    r"^\s*(?:(?:은|는|이|가|에|에?만)?\s*(?:말고|빼고|제외)|에?만\s*(?:아니(?:면|라면)|피하|피해)|"
    rf"(?:은|는|이|가|에는|엔|에|에도|도)\s*.{{0,14}}?(?:{_NO})|\s*(?:{_NO}))"
)
REFUSAL_IS_QUESTION = re.compile(r"안\s*(?:되나|될까|되겠|됩니까|되는지|되죠)|(?:어려|힘)\S{0,3}까")
ALTERNATIVE = re.compile(
    r"^\s*(?:요|이요)?[\s,]*(?:이나|나(?!중)|또는|아니면|혹은|이든|든|이랑|랑|하고|과|와|,|도)"
)
CHANGE = re.compile(r"바꾸|바꿔|바꿀|옮|변경|미뤄|미루|미룰|당겨|당기")
BOOKED = re.compile(r"^\s*(?:에|의|로|으로)?\s*(?:\S{1,6}\s+)?(?:예약|진료)")
FROM_TO_CHANGE = re.compile(r"에서(?=\s*[^.?!]{1,20}?로\s*(?:바꾸|바꿔|옮|변경|미|당))")

SYMPTOM = re.compile(
    r"아프|아파|아픈|아픔|열이|열나|열도|기침|통증|쑤시|쑤셔|저리|저려|붓|부어|어지|토하|토해|설사|"
    r"가렵|가려워|다쳐|다친|삐끗|콧물|몸살|두통|복통|쓰리|숨이|욱신|따가|답답|안\s*좋|피가|먹고\s*나"
)
WISH = re.compile(
    r"예약|접수|잡아|잡을|잡고|되나|될까|돼요|되죠|가능|갈게|갈\s*수|가고\s*싶|가려|가도|보고\s*싶|"
    r"해\s*주|하고\s*싶|할게|할까|부탁|로요|바꿔|바꾸|옮|변경|미뤄|당겨|비나|비어|있나|있을까|와도|"
    r"오라고|받고\s*싶|받으려|좋겠|하려"
)
PAST_WORD = re.compile(
    r"어제|어저께|그제|그저께|그끄|지난|저번|작년|재작년|전전|\d\s*(?:일|주|달|개월|년)\s*전|"
    r"(?:하루|이틀|사흘|나흘|닷새|열흘|보름|주|주일|달|개월|년|해)\s*전"
)
FUTURE_WORD = re.compile(r"내일|낼|모레|모래|글피|다음|다다|담|뒤|후|오는|내년|내달|차주|내주")
BOOKING_VERB = re.compile(r"예약|잡|접수|변경|바꿨")
PLAIN_ANSWER = re.compile(r"^\s*(?:에|로|으로)?\s*(?:요|이요|예약|진료|잡아|해|부탁|갈|$)")

SOONEST = re.compile(
    r"(?:제일|가장|최대한|가능한\s*한?|되도록|될\s*수\s*있으면|가급적|무조건|최고로)\s*(?:좀\s*)?(?:빨리|빠른|이른|일찍)|"
    r"빠른\s*(?:시간|날|걸|거|예약|진료|쪽|자리|순서|데|게|시일)|빨리\s*(?:되는|볼|받을|갈|가능|잡)|"
    r"(?:최|가장)\s*단\s*시간|바로\s*(?:되는|볼|가능)"
)
ANY_TIME = re.compile(
    r"아무\s*때|아무\s*시간|시간은?\s*(?:다\s*)?(?:상관|아무|괜찮)|시간대?\s*무관"
)
ANY_DAY = re.compile(
    r"아무\s*날|아무\s*요일|언제든|언제라도|(?:날짜|요일|날)[은는]?\s*(?:다\s*)?(?:상관|아무)"
)

#: Words that look like a time and are none. Blanked out before anything is read.
NOT_TIMES = re.compile(
    r"\d{2,4}[-\s.]\d{3,4}[-\s.]\d{4}|\d{9,}|"
    r"(?:아침|점심|저녁|밤|새벽|오전|오후)\s*(?:마다|약|식사|밥|저녁으로|에만|만\s*되면)|"
    r"(?:아침|점심|저녁)[은을도]?\s*(?:안\s*|못\s*)?(?:먹|굶|거르|걸러)|밤새|밤낮|한낮에만|"
    r"점심\s*시간[이은]?\s*(?:언제|몇)|현재|방금|이\s*시[간각]에|오늘[이은]?\s*(?:며칠|무슨)|오늘\s*(?:전화|문의|연락)|\d+\s*일\s*(?:됐|되었|째|치|분)|"
    r"지금(?!\s*(?:바로|당장|갈|가도|가면|가서|진료|와도))|당일\s*(?:검사|결과|퇴원|수술)"
)
BIRTH = re.compile(
    rf"생년월일[\s은는이가,]*[\d\s년월일{SINO[1:-2]}유시.,/-]*|"
    rf"(?:(?:\d{{2,4}}|{SINO})\s*년\s*)?{MONTH_WORD}\s*월\s*{MONTH_WORD}\s*일\s*(?:생|에?\s*태어|출생)|"
    rf"(?:\d{{2,4}}|{SINO})\s*년\s*(?:생|도?에?\s*태어|출생)"
)
YEAR_DATE = re.compile(
    rf"(?P<year>\d{{4}}|\d{{2}}|{SINO})\s*년\s*(?:도\s*)?(?:에\s*)?"
    rf"(?:{MONTH_WORD}\s*월(?:\s*{MONTH_WORD}\s*일)?)?"
)
SPOKEN_ENDING = re.compile(
    r"(?<=[시분반일])(?:이|라|이라|로)?(?:인데|인디|여|유|예|야|데|이더|이소)(?:요|예)?(?=\s*[,.!?~]|\s*$)"
)
"""Endings of plain and dialect speech behind a time ("네 시인데요", "반이여", "시예").

Left on, the reader did not know the word and dropped the clock time with it (R36).
"""

SINO_HOUR = re.compile(r"(?<![가-힣])(십[삼사오육칠팔구]|이십[일이삼]?)\s*시(?!간)")
"""Hours of the 24-hour clock in words ("십오시 삼십분"), as some men say them from the army."""
NEW_YEARS_WEEK = re.compile(r"새해\s*(?=첫\s*(?:째\s*)?주)")

ROUGH_HOURS: dict[str, str] = {
    "한두": "한 시에서 세 시",
    "두세": "두 시에서 네 시",
    "두어": "두 시에서 네 시",
    "서너": "세 시에서 다섯 시",
    "네다섯": "네 시에서 여섯 시",
}
