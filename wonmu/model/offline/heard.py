"""What kinds of things callers say, as patterns. Words are recognised here, none are spoken.

Each name is a question about one caller turn. In doubt the answer is no: a turn that nothing
recognises gets a question back, which is cheaper than a wrong deed.
"""

from __future__ import annotations

import re

_NOISE = re.compile(r"[\s.,!?~…·\"'“”‘’]+")
_YES = re.compile(
    r"(?:(?:아|어|음)*(?:네+|예+|넵|넹|응+|어+|그럼요?|그래요?|그러죠|그럽시다|그렇게(?:요|해주세요|할게요|하죠)?|"
    r"좋아요|좋습니다|맞아요|맞습니다|오케이|콜|부탁(?:해요|드려요|드립니다|드릴게요)|해주세요|"
    r"연결해주세요|예약해주세요|그거요|그걸로(?:요|해주세요|할게요)?))+"
)
_NO = re.compile(
    r"(?:아니(?:요|오|에요|예요|야)?|아뇨|아닙니다|괜찮아요|괜찮습니다|됐어요|됐습니다|싫어요|"
    r"필요없어요|필요없습니다|안할래요|안해요|없어요|없습니다|없는데요)+(?:괜찮아요|됐어요)?"
)
_REPEAT = re.compile(
    r"(?:네에?\?|예\?|뭐라고요?\?*|뭐라고하셨(?:어요|죠)?\??|네뭐라고요\??|"
    r".*(?:다시한번|한번더|다시)(?:말씀|말|얘기|불러).*|.*(?:안들려|안들리|안들린|안들립|못들었|못알아듣|뭐라카|뭐라는).*|(?:네\?*)?다시요\??)"
)
_HELLO = re.compile(r"(?:여보세요|여보세여|안녕하세요|안녕하십니까|저기요|들리세요|듣고계세요|네)+")
_THANKS = re.compile(r"감사합니다|고맙습니다|고마워요?|감사해요|감사드려요")
_ACK = re.compile(
    r"(?:네+|예+|아+|음+|오+|그렇군요|그렇구나|그러시구나|그러네요|알겠습니다|알겠어요|알았어요|"
    r"좋네요|다행이네요)+"
)
_END = re.compile(
    r"(?:전화|통화)?\s*(?:좀|이제|그만|그럼)?\s*끊(?:을게|겠|어\s*주|을래|습니다|어\s*도|자|는다|으|어요)"
    r"|통화\s*(?:종료|끝)|안녕히\s*(?:계|가)|들어가세요|들어가십시오|수고하세요|수고하십시오|수고하셨"
)
_NOT_END = re.compile(r"끊지|안\s*끊|끊겼|끊어졌|끊으면|끊기")
_STAFF = (
    r"(?:상담원|상담사|상담\s*직원|직원|사람|담당자|원무과|원무팀|간호사|안내\s*데스크|데스크|교환)"
)
_PERSON = re.compile(
    _STAFF + r"[가-힣]{0,3}\s*(?:좀\s*|직접\s*|바로\s*)?"
    r"(?:연결|바꿔|바꾸어|통화|대\s*주|대주|얘기|이야기|말하|말씀\s*나누|상담|불러|부탁|주세요|나와)"
    r"|^\s*(?:네\s*)?" + _STAFF + r"(?:이?요|으로\s*요|과요)?[\s.!]*$|사람이랑|사람하고"
)
_NOT_PERSON = re.compile(
    r"필요\s*없|필요는\s*없|연결\s*(?:하지\s*마|안\s*해|말고)|말고|많나요|많아요|이세요|인가요|맞나요|"
    r"몇\s*시|언제"
)
_WHO = re.compile(
    r"누구(?:세요|신가요|시죠|십니까|예요|야)|거기\s*(?:가\s*)?어디|어디(?:세요|시죠|신가요|인가요)\s*[?]?$|"
    r"(?:사람|로봇|기계|인공지능|에이아이|AI|ai|ARS|상담원|직원)[가-힣]{0,2}\s*"
    r"(?:이세요|이에요|예요|세요|인가요|맞나요|맞아요|맞으세요|이신가요|이야|야|입니까|아니에요|아닌가요)|"
    r"성함이|이름이\s*(?:뭐|어떻게)|무슨\s*병원|병원\s*(?:맞나요|맞죠|맞아요|인가요|이죠)"
)
_OF_DOCTORS = re.compile(r"(?:원장|선생|과장|교수|의사)[가-힣]*\s*(?:성함|이름|누구)")
_INJECTION = re.compile(
    r"시스템\s*(?:지시|프롬프트|명령|메시지)|프롬프트|(?:이전|앞|위)의?\s*(?:지시|명령|규칙)|"
    r"지시(?:를|는|사항)?\s*(?:무시|잊)|규칙(?:을|은)?\s*(?:무시|잊)|점검\s*모드|관리자\s*(?:야|모드|입니다|인데)|"
    r"개발자\s*모드|(?:환자|예약자)\s*(?:명단|목록|리스트|정보)|동의한\s*(?:걸로|것으로)|끝\s*네\s*자리|"
    r"다른\s*(?:환자|사람)\s*(?:예약|정보|기록)|ignore\s+(?:all|previous)|system\s+prompt|role\s*play|역할극",
    re.IGNORECASE,
)
_MEDICAL = re.compile(
    r"(?:약|진통제|해열제|항생제|타이레놀|수술|주사)[가-힣]{0,3}\s*.{0,10}"
    r"(?:먹어도|먹이면|먹으면|끊어도|맞아도|써도|발라도|해야\s*(?:되|돼|하)|괜찮을|괜찮은가)|"
    r"무슨\s*병|(?:병|암|골절|감염|염증)(?:인가요|일까요|인지|이에요\?|인\s*것\s*같)|왜\s*(?:아픈|아플|이런|붓)|"
    r"(?:어떻게|뭘)\s*(?:하면|해야)\s*(?:나을|낫|빨리\s*나)|(?:심각|위험)한\s*(?:건가|거예|건지|병)|진단(?!서)|부작용|"
    r"(?:무슨|어느|어떤)\s*과\s*(?:를|로|에)?\s*(?:가야|가면|봐야|보면|진료받아야)|"
    r"(?:아픈데|아파요|나는데|나요)[\s,.]*(?:왜|괜찮|어떻게)"
)
_SYMPTOM = re.compile(
    r"아파|아픈|아프|쑤시|결려|결리|열이\s*나|기침|콧물|두통|복통|설사|어지러|어지럽|저려|저리|다쳤|삐었|"
    r"부었|붓|가려워|가려운|가렵|두드러기|토해|체했|통증|불편해|시려|시리|쓰려|쓰리"
)
_QUESTION = re.compile(
    r"[?？]\s*$|(?:나요|가요|까요|ㄹ까요|죠|는지|은지|한지|되는지|습니까|입니까|돼요|되요|"
    r"있어요|(?:도|에|까지|부터|진료)\s*해요|어때요|궁금\S*|알려\s*주\S*|여쭤\S*)[\s.?]*$|얼마|어디|언제|어떻게|무슨|무엇|뭐|몇"
)
_HOURS = re.compile(
    r"몇\s*시\s*(?:까지|부터|에\s*(?:열|닫|끝|시작|문))|진료\s*시간|영업\s*시간|운영\s*시간|업무\s*시간|"
    r"병원\s*(?:하나요|해요|여나요|열어요)|진료\s*(?:보시나요|보나요|하나요|하시나요|해요)|"
    r"점심\s*시간|휴진|휴무|쉬나요|쉬는|쉬어요|쉽니까|문\s*(?:여|열|닫)|"
    r"(?:에도?|날도?|일도?|[월화수목금토일]욜도|(?:오늘|내일|모레|글피|주말|평일|아침|저녁|새벽|밤|"
    r"오전|오후|야간|점심|때|연휴|명절|설|추석|크리스마스)도)\s*(?:진료\s*)?(?:하나요|해요|합니까|여나요|열어요|하시나요|하는지|하죠|보나요)"
)
_LOCATION = re.compile(
    r"(?:위치|주소)|(?:병원이?|거기가?)\s*어디|어디에?\s*(?:있|위치)|찾아가|가는\s*길|오시는\s*길"
)
_PHONE = re.compile(
    r"(?:전화\s*번호|대표\s*번호|연락처)[가-힣]*\s*(?:가|는)?\s*(?:뭐|어떻게|몇|알려)"
)
_HOLIDAY = re.compile(
    r"공휴일|휴일|설날|설\s*연휴|설에|구정|추석|연휴|명절|어린이날|현충일|광복절|개천절|한글날|"
    r"크리스마스|성탄절|삼일절|신정|새해|부처님\s*오신\s*날|석가탄신일|제헌절|근로자의?\s*날|선거"
)


def squeezed(words: str) -> str:
    """Words without spaces and punctuation."""
    return _NOISE.sub("", words)


def is_yes(words: str) -> bool:
    """A yes and nothing else; "네?" is none."""
    return not words.strip().endswith("?") and bool(_YES.fullmatch(squeezed(words)))


def is_no(words: str) -> bool:
    return bool(_NO.fullmatch(re.sub(r"^(?:네|예)?(?=아니|됐|괜찮)", "", squeezed(words))))


def wants_repeat(words: str) -> bool:
    bare = re.sub(r"[\s.,!~…]+", "", words)
    return bool(_REPEAT.fullmatch(bare))


def is_hello(words: str) -> bool:
    bare = squeezed(words)
    return bool(_HELLO.fullmatch(bare)) and bare.strip("네") != ""


def is_thanks(words: str) -> bool:
    return bool(_THANKS.search(words)) and not asks(words) and len(squeezed(words)) <= 16


def declines_more(words: str) -> bool:
    """A no to "anything else?", with or without thanks."""
    rest = re.sub(_THANKS, "", words)
    return is_no(rest) and bool(squeezed(rest))


def is_ack(words: str) -> bool:
    return not words.strip().endswith("?") and bool(_ACK.fullmatch(squeezed(words)))


def wants_end(words: str) -> bool:
    """An explicit wish to end, or a goodbye."""
    return bool(_END.search(words)) and not _NOT_END.search(words) and not asks(words)


def wants_person(words: str) -> bool:
    """An explicit request for a person."""
    return bool(_PERSON.search(words)) and not _NOT_PERSON.search(words)


def asks_who(words: str) -> bool:
    return bool(_WHO.search(words)) and not _OF_DOCTORS.search(words)


def is_injection(words: str) -> bool:
    return bool(_INJECTION.search(words))


def asks_medical(words: str) -> bool:
    return bool(_MEDICAL.search(words))


def tells_symptom(words: str) -> bool:
    return bool(_SYMPTOM.search(words))


def asks(words: str) -> bool:
    """Whether the words look like a question."""
    return bool(_QUESTION.search(words.strip()))


def asks_hours(words: str) -> bool:
    return bool(_HOURS.search(words))


def asks_location(words: str) -> bool:
    return bool(_LOCATION.search(words))


def asks_phone(words: str) -> bool:
    return bool(_PHONE.search(words))


def names_holiday(words: str) -> str:
    """The holiday named, or nothing."""
    found = _HOLIDAY.search(words)
    return found.group(0) if found else ""


def has_korean(words: str) -> bool:
    return bool(re.search(r"[가-힣]", words))
