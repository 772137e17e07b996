"""Red flags in the caller's words (T13, R47).

Recognises phrases from fixed tables, conservatively towards speaking up. It gives no advice and
names no illness; what is said then is a fixed line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from wonmu.korean.folding import folded_sentences


class FlagKind(StrEnum):
    CHEST = "chest"
    BREATHING = "breathing"
    CONSCIOUSNESS = "consciousness"
    STROKE = "stroke"
    BLEEDING = "bleeding"
    SEIZURE = "seizure"
    SELF_HARM = "self_harm"
    POISON = "poison"
    ALLERGY = "allergy"
    INJURY = "injury"
    BIRTH = "birth"
    URGENT = "urgent"
    """The caller asks for an ambulance or names a very high fever, whatever the cause."""


@dataclass(frozen=True, slots=True)
class RedFlag:
    """What was recognised; ``phrase`` is the table's phrase, not the caller's words."""

    kind: FlagKind
    phrase: str


def red_flag(words: str) -> RedFlag | None:
    """The first red flag in these words, or None."""
    for sentence in folded_sentences(words):
        for kind, phrase, pattern in _FLAGS:
            match = pattern.search(sentence)
            if match is not None and not _taken_back(sentence, match, kind):
                return RedFlag(kind, phrase)
    return None


def _taken_back(sentence: str, match: re.Match[str], kind: FlagKind) -> bool:
    """Denied right after, or plainly of another time or of a routine visit.

    A word of the present ("지금", "갑자기") beats the past; a wish to die is never explained away.
    """
    if _DENIED.match(sentence, match.end()):
        return True
    if kind is FlagKind.SELF_HARM or _NOW.search(sentence):
        return False
    return _OTHER_TIME.search(sentence) is not None


_DENIED = re.compile(
    r"(?:은|는|이|도|지는|하지는|하지|지|같은건|같지|거나|증상은|증상이|하거나하진)*"
    r"(?:없(?:어요|고|습니다|는데|네|다|지|었)|않|안하|안나|아니(?:에요|고|요|라)|아닙|아녜)"
)
_NOW = re.compile(r"지금|갑자기|방금|아까|계속|자꾸|오늘|어제|새벽부터|아침부터|점점|금방")
_OTHER_TIME = re.compile(
    r"예전에|옛날|작년|재작년|지난달|지난해|몇년전|년전|개월전|달전|어렸을때|젊었을때|과거|적이있|적도있|"
    r"후유증|재활|정기검진|정기진료|검진받|진단서|진단받았던|약타|약받|처방전|병력|가족력|앓았|앓으셨|"
    r"치료받고있|치료중|물리치료|예방|보험|강의|교육|센터번호|무서워서검사|걸리지않|위치|어디예요|어디에요|휠체어"
)

_SIDE = r"(?:한쪽|왼쪽|오른쪽|반쪽|반신|팔다리|팔|다리|손발|손|몸|얼굴|입술)"
_FLAGS: tuple[tuple[FlagKind, str, re.Pattern[str]], ...] = tuple(
    (kind, phrase, re.compile(pattern))
    for kind, phrase, pattern in (
        (
            FlagKind.SELF_HARM,
            "죽고 싶다",
            r"죽고(?:만)?싶|자살(?!예방)|자해|목을?(?:매|맬|맸)|뛰어내리|뛰어내릴|살고싶지않|살기싫|죽어버리|"
            r"죽으려고|죽을래|목숨을끊|유서를|손목을?(?:그었|긋|그을)|그만살고싶|세상을?(?:떠나고싶|등지)",
        ),
        (
            FlagKind.CHEST,
            "가슴 통증",
            r"가슴(?:이|을|쪽이|쪽|한가운데가|왼쪽이|왼쪽|한복판이|부위가|이자꾸|이너무|이많이|이갑자기|이계속|이막|이되게)*"
            r"(?:조이|조여|조인|쥐어짜|찢어|짓누르|짓눌|눌리|터질|아프(?!리)|아파|아픈(?!사연|마음|일|이야기)|"
            r"뻐근|통증|답답(?!한마음|한심정|해서(?:전화|여쭤|문의)|하시|하네요정말))|"
            r"흉통|심장(?:이|에)?(?:마비(?:온|가|인|왔)|발작|멎|멈|쥐어짜|조여|아파|아프)|"
            r"심근경색(?:인것|인거|같|온것|온거|이온|이왔|증상|의심)|식은땀.{0,12}가슴|가슴.{0,14}식은땀|"
            r"왼(?:쪽)?(?:팔|어깨).{0,8}(?:저리|뻗치).{0,10}가슴",
        ),
        (
            FlagKind.BREATHING,
            "숨을 못 쉼",
            r"(?<!한)숨(?:을|이|도|을잘|이잘|을제대로|을거의)?(?:못쉬|못쉽|못쉴|안쉬|안쉽|안쉬어|쉬기힘|쉬기가|쉬기어려|"
            r"쉬는게힘|쉴수가없|쉴수없|막히|막혀|넘어갈|넘어가|멎|멈|차(?!례|량)|가쁘|가빠|가쁜|헐떡|안쉬어)|"
            r"(?<!한)숨(?:이)?(?:너무|많이|자꾸|갑자기|계속|엄청)(?:차|막히|가쁘|가빠)|"
            r"호흡(?:이|을|도)?(?:곤란|안되|안돼|힘들|못하|멈|가빠|가쁘|정지|없)|질식|기도가?막|"
            r"목에.{0,10}걸려(?:서)?(?:숨|못|얼굴|파래|캑)|(?:입술|얼굴)(?:이|색이)?(?:파래|파랗|새파|시퍼)",
        ),
        (
            FlagKind.CONSCIOUSNESS,
            "의식 없음",
            r"의식(?:이|을|도)?(?:없|잃|흐려|흐릿|희미|혼미|불명|안돌아|왔다갔다|오락가락)|"
            r"기절(?:했|해서|하셨|하고|해버|했어)|실신(?:했|하셨|해서)|정신을?(?:잃|못차리|놓으)|"
            r"쓰러(?:졌|지셨|져서|지고|져있|져버|져요|지시)|깨워도|흔들어도(?:안|반응)|반응이(?:없|안)|"
            r"(?:축|푹)(?:늘어져|늘어졌|처져|쳐져)|불러도(?:대답|반응)(?:이|을|도)?(?:없|안|못|잘)",
        ),
        (
            FlagKind.STROKE,
            "마비나 어눌한 말",
            r"말(?:이|을|투가|도)?(?:갑자기)?(?:어눌|어둔|안나와|안나오|꼬여|꼬이)|갑자기말을?(?:못|잘못)|"
            r"발음이?(?:어눌|안되|이상해|새고|꼬)|입이?(?:한쪽으로)?(?:돌아갔|돌아가|돌아간|삐뚤|비뚤)|"
            rf"{_SIDE}(?:이|가|에|쪽이|쪽에|만)?(?:갑자기|아예|전혀)?"
            r"(?:마비|힘이안들|힘이빠|힘이없|힘이하나도|안움직|움직이지않|감각이없|처졌|처지|쳐졌|돌아갔)|"
            r"마비(?:가와|가왔|가온|됐|되었|되고|증상|인것|인거|온것|온거|왔어|가생|가시작|같)|"
            r"(?:뇌졸중|뇌출혈|뇌경색|중풍)(?:인것|인거|같|온것|온거|이온|이왔|증상|의심|이신것)|"
            r"갑자기(?:한쪽)?(?:앞이|눈이)(?:안보|캄캄)|머리가?(?:갑자기)?(?:깨질|망치로|벼락|터질)",
        ),
        (
            FlagKind.BLEEDING,
            "심한 출혈",
            r"피(?:를|가|도)?(?:막|계속|자꾸|한바가지|많이|너무많이|엄청)?"
            r"(?:토(?!요|마)|안멈|안멎|멈추지(?:가|를|도)?않|멎지(?:가|를|도)?않|쏟|철철|뿜|콸콸|흥건|계속나|계속나와|줄줄)|"
            r"피가(?:너무|엄청|진짜)?많이(?:나|흘|쏟)|토혈|각혈|객혈|하혈|출혈(?:이)?(?:심|안멈|안멎|멈추지|많|계속|너무)|"
            r"(?:심한|대량|과다)출혈|(?:기침|가래|구토|토)(?:에|에서|할때|하는데)?.{0,4}피(?:가|를)|검은변을?계속",
        ),
        (
            FlagKind.SEIZURE,
            "경련",
            r"(?<!눈밑)(?<!눈밑이)(?<!꺼풀)(?<!눈꺼풀이)(?<!위)(?<!눈가)(?<!얼굴)(?<!다리에)(?<!근육)경련(?:을|이|도|중|까지)?"
            r"(?!검사|약|예약|진료|클리닉|때문)|발작(?!성)|게?거품을?(?:물|문)|눈이?(?:뒤집|돌아가|돌아갔)|"
            r"(?:몸|온몸|전신)이?(?:뻣뻣|뻗뻗|굳)|부들부들떨",
        ),
        (
            FlagKind.POISON,
            "독물이나 약물",
            r"(?:농약|락스|표백제|부동액|세제|빙초산|쥐약|제초제|휘발유|신나|본드)(?:을|를|도)?(?:잘못|실수로|조금|많이)?"
            r"(?:마셨|마신|먹었|먹은|삼켰|삼킨|드셨|마셔|먹어버)|(?:수면제|약|진통제|알약)(?:을|를)?"
            r"(?:한꺼번에|한번에|너무많이|통째로|수십알|잔뜩|여러알|[0-9]+알)(?:을|를)?(?:먹었|삼켰|드셨|먹은|먹어버)|"
            r"(?:건전지|배터리|자석|단추전지|동전)(?:를|을)?(?:삼켰|먹었|삼킨)|연탄가스|일산화탄소|가스(?:에)?중독|독버섯",
        ),
        (
            FlagKind.ALLERGY,
            "심한 알레르기",
            r"아나필락시스|(?:두드러기|알레르기|알러지|벌에|쏘이|쏘였|먹고).{0,14}"
            r"(?:숨|목이붓|목이부|목구멍|얼굴이붓|얼굴이부|입술이붓|입술이부|혀가)|"
            r"(?:목구멍|목|혀)이?가?(?:부어올라|부어서숨|막혀오|조여오)",
        ),
        (
            FlagKind.INJURY,
            "심한 외상",
            r"(?:교통사고|차사고|오토바이사고)(?:가|를|로)?(?:났|나서|당했|당해|방금)|차에치였|차에치여|"
            r"뼈가?(?:튀어나|보여|드러)|(?:손|발|팔|다리|손가락|발가락)(?:이|가|을|를)?(?:절단|잘렸|잘려|잘린)|"
            r"화상(?:이|을)?(?:심|크게|넓|전신|많이)|감전|(?:높은데|계단|지붕|옥상|침대|사다리|층)에서"
            r".{0,6}(?:떨어졌|떨어져|추락|굴렀|굴러)|머리를?(?:크게|세게|심하게)(?:부딪|다쳤|다치|박)|"
            r"머리를?(?:부딪|다치|박).{0,10}(?:토|의식|정신|졸|어지)|칼에(?:찔|베|맞)|물에(?:빠졌|빠져)|총에맞",
        ),
        (
            FlagKind.BIRTH,
            "출산 응급",
            r"양수(?:가)?(?:터|샜|새|흘|나온)|진통(?!제)(?:이|은)?(?:시작|왔|와|심|오|[0-9]+분|계속)|"
            r"태동이?(?:없|안느|안|멈|줄)|아기가?(?:나올것|나오려|나오고)|(?:임신|임산부|산모).{0,14}(?:하혈|출혈|피가|경련)",
        ),
        (
            FlagKind.URGENT,
            "응급 요청",
            r"(?:구급차|앰뷸런스|119|일일구)(?:를|을|에|좀)?(?:좀)?(?:불러|보내|전화해야|와주|와야|부를까)|"
            r"열이?(?:40도|41도|42도|사십도|사십일도|마흔도)|살려(?:주|줘)|(?:아기|애|아이|생후.{0,6})가?열이?(?:펄펄|40)|"
            r"(?:죽을것같|죽겠어요숨|숨넘어)",
        ),
    )
)
