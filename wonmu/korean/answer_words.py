"""The words that answer a yes/no question, by the part they play (tables for ``answers``).

Spelled without spaces. Only words listed here can be part of a yes; that is what keeps 네가 아니라,
네 시요, 예약이요 or a newsreader's sentence from being one.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from enum import Enum, auto


class Role(Enum):
    """The part a word plays in a reply."""

    AGREE = auto()
    """네: agrees with whatever was asked."""
    WEAK = auto()
    """어: a yes when alone, otherwise a hesitation."""
    AFFIRM = auto()
    """맞아요: says that the statement is right."""
    POINT = auto()
    """그 시간: points at what was offered."""
    POINT_TO = auto()
    """그걸로요: picks what was offered."""
    ACT = auto()
    """해 주세요, 부탁드려요."""
    TOPIC_ACT = auto()
    """예약해 주세요: names the act asked about."""
    NO = auto()
    """아니요: denies whatever was asked."""
    AGAINST = auto()
    """안 할래요, 틀려요: says that it is wrong or unwanted."""
    OKAY = auto()
    """괜찮아요: yes or no, thank you."""
    SOFT = auto()
    """그런 것 같아요."""
    REMARK = auto()
    """좋네요, 감사합니다: a reaction."""
    HEDGE = auto()
    """근데, 잠깐만요."""
    REPEAT = auto()
    """뭐라고요."""
    BYE = auto()
    FILLER = auto()


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _joined(heads: Iterable[str], tails: Iterable[str]) -> frozenset[str]:
    ends = tuple(tails)
    return frozenset(head + tail for head in heads for tail in ends)


_HA = _set(
    "해주세요 해줘요 해줘 해주십시오 해주시면돼요 해주시면됩니다 해주시면감사하겠습니다"
    " 해주실래요 해주시겠어요 해주시죠 해주시지요 할게요 할께요 하겠습니다 하죠 하지요 합시다"
    " 할래요 하자 하세요 하십시오 하시죠 하시지요 해요 하시면돼요 하시면됩니다 하면돼요"
    " 하면됩니다 하도록할게요 하도록하죠 해주이소"
)
_ASK = _set(
    "부탁드려요 부탁드립니다 부탁드릴게요 부탁드리겠습니다 부탁해요 부탁합니다 부탁할게요"
    " 부탁드릴께요"
)
_GIVE = _set("주세요 줘요 줘 주십시오 주시면돼요 주시면됩니다 주실래요 주시겠어요 주시죠")
_WANT = _set("하고싶어요 하고싶습니다 하고싶은데요 하려고요 하려구요")

_POINT_PLAIN = _set(
    "그거 그시간 그때 그날 그날짜 그분 그선생님 그시간이 그때가 그날이 그시간은 그때는 그날은"
    " 그건 그거는 그시간에 그날에 이시간"
)
_POINT_TO = _set(
    "그렇게 그걸로 그거로 그것으로 이걸로 이거로 이렇게 그대로 이대로 그시간으로 그때로 그날로"
    " 그날짜로 그분으로 그선생님으로 그원장님으로 말씀하신대로 말씀하신시간으로 말씀하신걸로 그리"
    " 그리로 그쪽으로 그렇게해 그렇게혀"
)
_LATER = _set("갈게요 갈께요 가겠습니다")

HEADS = _set("네 예 넵 넹 응 아 네네 예예 아네 아예 네에 예에 넷 옙 어")
"""Words that recognisers glue to the next one without a space (네그걸로해주세요)."""

_NOUNS_BOOKING = _set("예약 예약을 예약좀 접수 접수를 접수좀 진료예약 예약접수")
_NOUNS_CANCEL = _set("취소 취소를 취소좀 예약취소 예약을취소")
_NOUNS_CHANGE = _set("변경 변경을 변경좀 예약변경 수정 수정을")
_NOUNS_PERSON = _set(
    "연결 연결을 상담원연결 상담원을연결 상담원으로연결 직원연결 직원을연결 상담사연결 담당자연결"
)
_PEOPLE = _set("상담원 상담사 직원 직원분 담당자 사람 상담원으로 직원으로 상담원을 직원을")
_NOUNS_MEMO = _set("메모 메모를 전달 전달을 접수")
_NOUNS_CALLBACK = _set("전화 연락 전화를 연락을 콜백")

TOPIC_ACTS: Mapping[str, frozenset[str]] = {
    "booking": _joined(_NOUNS_BOOKING, _HA | _ASK | _WANT)
    | _joined(["예약진행", "예약확정", "예약을진행", "예약을확정"], _HA | _ASK)
    | _joined(["잡아", "넣어", "예약잡아", "예약넣어", "예약을잡아"], _GIVE),
    "cancel": _joined(_NOUNS_CANCEL, _HA | _ASK | _WANT) | _set("취소시켜주세요 빼주세요"),
    "change": _joined(_NOUNS_CHANGE, _HA | _ASK | _WANT)
    | _joined(["바꿔", "옮겨", "미뤄", "당겨"], _GIVE)
    | _set("바꿀게요 옮길게요 바꾸겠습니다 바꾸고싶어요 옮기고싶어요"),
    "person": _joined(_NOUNS_PERSON, _HA | _ASK)
    | _joined(_PEOPLE, _ASK)
    | _joined(["바꿔", *(who + "바꿔" for who in _PEOPLE)], _GIVE)
    | _set("상담원이요 직원이요 상담원요"),
    "memo": _joined(_NOUNS_MEMO, _HA | _ASK)
    | _joined(["남겨", "메모남겨", "메모를남겨", "전해", "전달해", "적어"], _GIVE)
    | _set("남길게요 메모남길게요 남기겠습니다 남기고싶어요"),
    "callback": _joined(_NOUNS_CALLBACK, _HA | _ASK | _GIVE)
    | _joined(["다시전화", "다시연락"], _GIVE | _ASK),
    "first_visit": _set(
        "처음이에요 처음이요 처음입니다 처음이예요 처음인데요 처음가요 처음가는거예요 처음가봐요"
        " 초진이에요 초진이요 초진입니다 처음방문이에요 처음방문입니다 처음이죠 처음이거든요"
        " 안가봤어요 가본적없어요 가본적이없어요 간적없어요 거기는처음이에요"
    ),
    "more_help": _set("있어요 있습니다 하나더요 하나더있어요 있는데요 더있어요"),
}
"""Question topic → full phrases that say yes to it."""

_NOT_DO = _set(
    "하지마세요 하지말아주세요 하지마 하지말아요 하지말고요 하지마십시오 안할래요 안할게요"
)
TOPIC_AGAINST: Mapping[str, frozenset[str]] = {
    "booking": _joined(["예약", "예약은", "접수"], _NOT_DO),
    "cancel": _joined(["취소", "취소는"], _NOT_DO) | _set("그냥갈게요 그대로둘게요 그대로두세요"),
    "change": _joined(["변경", "변경은"], _NOT_DO) | _set("바꾸지마세요 그대로두세요 그대로둘게요"),
    "person": _joined(["연결", "연결은"], _NOT_DO) | _set("연결안해주셔도돼요 상담원필요없어요"),
    "memo": _set("남기지마세요 안남길게요 안남겨도돼요"),
    "callback": _set("전화하지마세요 전화안주셔도돼요 연락안주셔도돼요"),
    "first_visit": _set(
        "다녀봤어요 재진이에요 재진이요 재진입니다 간적있어요 가본적있어요 가봤어요 처음아니에요"
        " 처음은아니에요 처음아닌데요 다니고있어요 다녔어요 전에갔었어요 진료받은적있어요"
        " 진료받았어요 다녀왔어요 전에다녔어요 가본적이있어요 두번째예요 두번째요"
    ),
    "more_help": _set(
        "없어요 없습니다 없는데요 없어 이제없어요 더없어요 다됐어요 이제됐어요 끝이에요 끝났어요"
        " 그게다예요 그게전부예요 그거면돼요 그거면됩니다 괜찮아요 괜찮습니다 괜찮아 충분해요"
    ),
}
"""Question topic → full phrases that say no to it."""

_BASE: Mapping[Role, frozenset[str]] = {
    Role.AGREE: _set(
        "네 예 넵 넹 넷 옙 네에 예에 네네 예예 네네네 네예 예네 응 응응 웅 엉 오케이 오케 ok okay"
        " yes 오키 콜 네엡 옛 그려 그랴"
    ),
    Role.WEAK: _set("어 어어"),
    Role.AFFIRM: _set(
        "그래 그래요 그럼요 그러죠 그러지요 그러세요 그러시죠 그러십시오 그럽시다 그러자 그럴게요"
        " 그려요 그류 그라요 그러슈 맞어 맞아 맞아요 맞습니다 맞어요 맞네요 맞아용 맞다 맞지요 맞죠"
        " 맞고요 좋아 좋아요 좋습니다"
        " 좋죠 좋지요 좋겠어요 좋겠습니다 그렇죠 그렇지요 그쵸 그죠 그렇습니다 그래주세요"
        " 당연하죠 당연하지요 당연히요 물론이죠 물론입니다 물론이에요 물론이지요 맞습니다맞고요"
        " 정확해요 정확합니다 됩니다 돼요"
    ),
    Role.POINT: _POINT_PLAIN,
    Role.POINT_TO: _POINT_TO
    | _joined(_POINT_TO, {"요", "여"} | _HA | _ASK)
    | _joined(["그때", "그시간에", "그날", "그날에"], _LATER | _set("할게요 하죠")),
    Role.ACT: frozenset(each for each in _HA if each not in {"하자", "해요", "할래요"})
    | _ASK
    | _joined(["진행", "확정"], _HA | _ASK),
    Role.NO: _set(
        "아니 아니요 아뇨 아니오 아닙니다 아니에요 아니예요 아녜요 아닌데요 아니아니 아뇨아뇨"
        " 아니여 아뇨뇨 노 아닌데 아니라고요 아니라니까요"
    ),
    Role.AGAINST: _set(
        "싫어 싫어요 싫습니다 싫은데요 됐어요 됐습니다 됐고요 됐어 안할래요 안할게요 안할래"
        " 안해요 안하겠습니다 안할거예요 안할겁니다 안해 하지마세요 하지말아주세요 하지마"
        " 하지말아요 하지말고요 틀려요 틀렸어요 틀립니다 틀렸습니다 틀린데요 잘못됐어요"
        " 잘못됐습니다 그게아니라 그게아니고 그게아니에요 그게아니라요 그거아니에요 그거아닌데요"
        " 그거말고요 그거말고 안돼요 안됩니다 안되는데요 안되겠는데요 안되겠네요 안되겠어요"
        " 안될것같아요 안되네요 안되요 안맞아요 안맞습니다 안맞는데요 맞지않아요 필요없어요"
        " 필요없습니다 그만 그만할게요 그만둘게요 그만두세요 그만하세요 못가요 못갑니다"
        " 못갈것같아요 어려워요 힘들어요 어려울것같아요 힘들것같아요 별로예요 별로요 나중에할게요"
        " 나중에요 다음에할게요 다음에요 말고요 안좋아요 그건아니에요 그건아닌데요 그만하고싶어요"
        " 없던걸로해주세요 없던일로해주세요 안할라고요 안하려고요"
    ),
    Role.OKAY: _set("괜찮아요 괜찮습니다 괜찮아 괜찮은데요 괜찮을것같아요 괜찮겠어요"),
    Role.SOFT: _set(
        "그런것같아요 맞는것같아요 맞을거예요 맞을걸요 그럴걸요 그럴거예요 아마요 아마도 아마"
        " 아마도요 상관없어요 상관없습니다 아무거나요 그러든지요 그러든가요 좋을것같아요 그럴까요"
        " 맞나요 되나요 될까요 될걸요 될것같아요 맞긴한데요 좋긴한데요 맞는데요 좋은데"
    ),
    Role.REMARK: _set(
        "감사합니다 고맙습니다 감사해요 고마워요 감사 감사드려요 감사드립니다 알겠습니다 알겠어요"
        " 알았어요 알았습니다 잘알겠습니다 알겠네요 그렇구나 그렇군요 그렇구만 그렇구나요 아하"
        " 오호 오 다행이다 아그래요 아그렇구나 아그렇군요 좋은데요 그렇네요 좋네 그렇습니까"
        " 그런가요 그래서요 고생하셨어요 정말요 진짜요 아이고"
    ),
    Role.HEDGE: _set(
        "근데 그런데 근데요 그런데요 근데말이에요 잠깐 잠깐만 잠깐만요 잠시만 잠시만요 잠시"
        " 잠깐요 글쎄 글쎄요 글쎄다 모르겠어요 모르겠네요 모르겠는데요 모르겠습니다 잘모르겠어요"
        " 잘모르겠는데요 몰라요 생각해볼게요 생각좀해볼게요 생각해보고요 생각좀 고민되네요"
        " 고민좀해볼게요 혹시 그리고 만약 만약에 대신 대신에 하지만 다만 아직 아직요 아직이요"
        " 기다려주세요 기다려봐요 잠깐기다려주세요 잠시기다려주세요 어디보자 보자 가만 가만있자"
        " 가만있어봐요 물어보고요 물어볼게요 그러면은"
    ),
    Role.REPEAT: _set(
        "뭐라고요 뭐라구요 뭐라고 뭐라고하셨어요 뭐라고하셨죠 뭐라고하셨나요 뭐요 뭐 다시요"
        " 다시한번요 다시말씀해주세요 다시한번말씀해주세요 다시한번만요 다시한번말씀해주시겠어요"
        " 다시말해주세요 한번더요 한번더말씀해주세요 다시얘기해주세요 잘안들려요 안들려요"
        " 잘안들리는데요 안들리는데요 안들립니다 잘안들립니다 못들었어요 못들었습니다"
        " 잘못들었어요 잘못들었습니다 못들었는데요 잘못들었는데요 엥 예뭐라고요 몇시라고요"
        " 언제라고요 누구라고요 어디라고요 무슨말이에요 다시말씀해주실래요 천천히말씀해주세요"
        " 크게말씀해주세요 다시말씀해주시겠어요 네뭐라고요 이해를못했어요 무슨소리예요"
        " 다시불러주세요 다시읽어주세요 다시들려주세요 방금뭐라고하셨어요 못알아들었어요"
        " 잘못알아들었어요"
    ),
    Role.BYE: _set(
        "들어가세요 들어가십시오 들어가요 수고하세요 수고하십시오 수고하셨습니다 수고하셨어요"
        " 수고요 끊을게요 끊을께요 끊겠습니다 끊어주세요 끊어요 끊습니다 전화끊을게요"
        " 안녕히계세요 안녕히계십시오 안녕 바이 바이바이 다음에봬요 다음에뵐게요 다시전화할게요"
        " 다시전화드릴게요 나중에전화할게요 나중에다시전화할게요 나중에다시할게요 이만"
        " 이만끊을게요 이제끊을게요 다음에전화할게요 들어가 좋은하루되세요 좋은하루보내세요"
        " 건강하세요"
    ),
    Role.FILLER: _set(
        "아 음 저 저기 저기요 그 자 에 그럼 그러면 이제 바로 빨리 얼른 좀 꼭 일단 우선 그냥 다 잘"
        " 선생님 아유 아휴 흠 으음 뭐그냥"
    ),
}


def lexicon(topic: str) -> Mapping[str, Role]:
    """Phrase → role for a question about ``topic``; the topic's own phrases win."""
    table = {phrase: role for role, phrases in _BASE.items() for phrase in phrases}
    table.update(dict.fromkeys(TOPIC_ACTS[topic], Role.TOPIC_ACT))
    table.update(dict.fromkeys(TOPIC_AGAINST[topic], Role.AGAINST))
    return table


REMARK_TOKEN = re.compile(r"(?!아니|안|못|틀리)[가-힣]{1,5}(?:네요|군요|구나|구만|구먼)")
"""One word that reacts to what was heard (비싸네요)."""

NUMBER_FOUR = re.compile(
    r"네\s+(?:시간|시|명|분|살|개|번|건|달|사람|식구|군데|곳|주|자리|가지|차례|째|알|대|장|병)"
    r"(?=$|[^가-힣]|이|에|으로|로|은|는|을|를|까지|쯤|반|요|입|예|인)"
)
"""네 before a counter is four, not yes."""

ASKS_AGAIN = re.compile(
    r"뭐라(?:고|구)\s*(?:요|하셨)|다시\s*(?:한\s*번\s*)?(?:말씀해|말해|얘기해|읽어|불러|들려)"
    r"|(?:못|안)\s*들(?:었|려|리|립)"
)
"""Asking again inside a longer reply; used for short replies only."""

NOISE = re.compile(
    r"시청해\s*주|시청\s*해주|시청\s*부탁|구독|한글\s*자막|자막\s*(?:제공|by|제작)|기상캐스터"
    r"|(?:MBC|KBS|SBS|YTN|JTBC)\s*뉴스|뉴스(?:입니다|였습니다|룸|데스크|\s+[가-힣]{2,4}입니다)"
    r"|다음\s*(?:시간|영상)에\s*(?:만나|뵙|봐요|또)|영상\s*(?:시청|봐\s*주)|끝까지\s*(?:봐\s*주|시청)"
    r"|재미있게\s*보셨|이\s*시각\s*(?:세계|현재)|날씨였습니다|방송을\s*마치|시청자\s*여러분"
    r"|여러분[,.!]?\s*(?:안녕|감사)"
)
"""What recognisers write when they hear silence or a television (R54)."""
