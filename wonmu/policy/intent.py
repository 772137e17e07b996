"""What the caller's words ask for (T3).

Decides from tables of words, without a model. A question about a thing is not an order to do it
("지금 취소하면 어떻게 돼요?"), and a booking that is only mentioned is vague. It must never read
an order out of a question, a refusal or a memory.

The tables list forms that order something (하려고, 해 주, 하고 싶 …); everything else, such as
하면, 하려면, 했는데, 안 할래, is no order because it is not listed. Words are folded first, so a
pattern sees one run of syllables per sentence.
"""

from __future__ import annotations

import re
from enum import StrEnum

from wonmu.korean.folding import folded_sentences


class Intent(StrEnum):
    CREATE = "create"
    INQUIRE = "inquire"
    CHANGE = "change"
    CANCEL = "cancel"
    VAGUE_BOOKING = "vague_booking"
    PERSON = "person"
    END_CALL = "end_call"
    NONE = "none"


_WANT = r"싶(?!지|진|었|은(?:건|게|것은)?아니)"
_TOLD = r"(?!지(?:마|말|않|는))"
# Orders made with 하다: 취소하려고요, 예약해 주세요, 변경 부탁드려요, "예약이요" at the end.
_DO = (
    r"(?:을|를|좀|도|한번|하나|이나|다시|새로|그냥|먼저|쪼매|쪼까|쫌|조금)*(?:"
    r"하려(?:고(?!했)|구|는데|합|해)|할려(?:고(?!했)|구|는데)|할라(?:고|꼬|카|는데)|하러|"
    rf"하고{_WANT}|할게|할래(?!말)|하겠|하죠$|하자|하입시더|하입시다|합시다|할까(?:해|하|합|싶)|"
    rf"[해시]?(?:해|시켜)(?:주{_TOLD}|줘|달|드려주)|해야(?:할것같|해서|겠|돼서|되는데|하는데|될것같)|"
    r"해[요]?$|부탁|도와(?:주|줘)|진행해(?:주|줘)|(?:이)?요$|입니다$|이에요$|좀요?$|$|원해|원합|희망|"
    r"할수있을까|(?:가능)?할까요$|될까요)"
)
_MIGHT = (
    r"(?:이|은|도)?(?:할수있(?!는)|가능(?!시간|일|날|한날|한시간|한요일|한가장)|"
    r"되나|돼요|되요|됩니까|되는지|될까)"
)

_THEIR_BOOKING = r"(?:예약|접수)"
_OTHER_THING = (
    r"(?:결제|카드|수납|입원|수술비|회원|전화번호|번호|주소|연락처|보험|이름|성함|비밀번호|병실|(?<!예)약|처방|"
    r"환불|환급|영수증|진단서|소견서|확인서|내역서|진료비|병원비)"
    r"(?:을|를|도|이|좀|신청|요청|발급)*"
)

_CANCEL = (
    re.compile(rf"취소{_DO}"),
    re.compile(
        rf"취소하(?:고|면서|구)(?:환불|환급)(?:{_DO}|(?:을|도|좀)*받(?:고{_WANT}|을게|을래))"
    ),
    re.compile(r"취소(?:건(?:으로|이|때문|요|입)|때문|하려고전화|차전화|하려던참)"),
    re.compile(rf"예약(?:을|좀|한거|된거|건)*(?:빼|없애|지워|날려|물러)(?:주{_TOLD}|줘|달)"),
)
_CHANGE_VERB = (
    rf"(?:(?:변경|연기|조정|수정){_DO}|(?:변경|연기)(?:건(?:으로|이|때문|요)|때문)|"
    rf"(?:바꾸|옮기|미루|당기|늦추)(?:고{_WANT}|려(?:고(?!했)|구|는데|합)|겠|러|자)|"
    rf"(?:바꿔|옮겨|미뤄|당겨|늦춰)(?:주{_TOLD}|줘|달|야(?:할|해|겠|돼|되|될)|도될까|볼수있을까|요$|$)|"
    r"(?:바꿀|옮길|미룰|당길|늦출)(?:게|래|수있을까|까(?:해|하|합|요$)|려고))"
)
_CHANGE = (
    re.compile(rf"(?:예약|접수|진료|날짜|시간|일정|날|오전|오후|요일|취소).*{_CHANGE_VERB}"),
    # "세 시로 바꿔 주세요", said when a booking stands: the time names what is moved.
    re.compile(rf"(?:시|시반|분)으?로{_CHANGE_VERB}"),
    re.compile(rf"(?:^|네|아니|그럼|저기)(?:변경|연기){_DO}"),
    re.compile(r"취소하고(?:다시|새로|다른)"),
)
_INQUIRE = (
    re.compile(
        r"예약(?:을|이|좀|한거|된거|건|내역|일정|날짜|시간|여부)*(?:확인|조회)(?!서|문자|번호|증|전화|메시지)"
        r"(?!안|했|하면|됐|되면|하려면|필요)"
    ),
    re.compile(
        r"예약.{0,10}(?:언제|몇시|며칠|몇일|무슨요일|어느선생|누구|어느과|몇월)(?!까지|부터)"
        r".{0,6}(?:돼있|되어있|되있|잡혀|된거|한거|했|인가|인지|이에요|예요|에요|이죠|죠|지요|였|더라|이야|야$|맞|$)"
    ),
    re.compile(
        r"(?:예약한거|예약된거|예약했던거|잡은거|제진료|내진료).{0,6}"
        r"(?:언제|몇시|며칠|몇일|무슨요일|알려|뭐|맞)"
    ),
    re.compile(
        r"(?:제|내|저|저희|우리|애|아이|엄마|어머니|아빠|아버지|아들|딸|남편|아내)(?:의|앞으로)?(?:이름으로)?"
        r"(?:된|한|잡힌)?예약.{0,6}(?:있(?:나|는지|어요|죠|습|을까|니)|뭐있|알려|남아|어떻게돼)"
    ),
    re.compile(
        r"예약(?:이|은|을|도|잘|제대로)*(?:돼|되어|되|잡혀)있(?:나|는지|죠|어요|는거|습니까|을까|지요)"
    ),
    re.compile(
        r"(?<!내일)예약(?:이|잘|제대로|정상적으로)*(?:됐|되었|된)(?:나|는지|죠|건가|거맞|어요$|건지)"
    ),
    re.compile(r"예약내역"),
)
_MEDICAL = (
    r"(?:진료|진찰|검진|검사|내시경|접종|예방접종|백신|주사|치료|물리치료|도수치료|초음파|엠알아이|mri|"
    r"ct|씨티|시술|수술|스케일링|임플란트|상담진료|외래)"
)
_CREATE = (
    re.compile(rf"{_THEIR_BOOKING}{_DO}"),
    # "예약이요, 소아과요": said first, with the conditions behind it and no question.
    re.compile(r"예약이요(?=.)(?!.*(?:나요|까요|나$|죠$))"),
    # A booking left on the way is taken up again (S7).
    re.compile(
        rf"예약(?:을|좀|은)*(?:계속|이어서?|마저|진행)(?:을|좀|진행)*(?:해주{_TOLD}|해줘|할게|할래|하겠|하고{_WANT}|"
        r"하죠$|하자|부탁|해요?$|요$|$)"
    ),
    re.compile(
        rf"{_THEIR_BOOKING}(?:을|를|좀|도|하나|한번|날짜|시간|진료)*"
        rf"(?:잡|넣|걸)(?:아주{_TOLD}|어주{_TOLD}|아줘|어줘|아달|어달|고{_WANT}|"
        r"으려(?:고(?!했)|는데|구)|을게|을래|을수있을까|아야)"
    ),
    re.compile(
        rf"(?:날짜|시간|진료|일정|스케줄|자리|검사)(?:을|를|좀|도)*잡"
        rf"(?:아주{_TOLD}|아줘|아달|고{_WANT}|으려(?:고|는데|구))"
    ),
    re.compile(
        rf"{_MEDICAL}(?:을|를|좀|도|한번|다시)*(?:(?:받|맞)(?:고{_WANT}|으려(?:고(?!했)|는데|구|합)|을게|"
        rf"을래|을수있을까|아보고{_WANT}|게해주|아야(?:할것같|해서|겠|하는데|되는데|돼서))|"
        rf"보(?:고{_WANT}|려(?:고(?!했)|는데|구|합))|볼(?:게|래|수있을까|려고)|"
        rf"하(?:고{_WANT}|려(?:고(?!했)|는데|구|합)))"
    ),
    re.compile(
        rf"(?:선생님|원장님|교수님|과장님|의사)(?:을|를|좀|께|한테|진료)*"
        rf"(?:뵐수있을까|뵙고{_WANT}|뵈려|뵈러|보고{_WANT}|볼수있을까|보려고|"
        rf"진료(?:를)?(?:받고{_WANT}|보고{_WANT}|받으려고|받을수있을까))"
    ),
)
_CREATE_IF_ASKED = re.compile(rf"{_THEIR_BOOKING}{_MIGHT}")
_ABOUT_BOOKING = re.compile(
    r"당일|인터넷|온라인|홈페이지|어플|앱으로|카톡|카카오|네이버|전화로|언제|몇시|며칠|어떻게|어디|누구나|"
    r"외국인|없이|안하|얼마|혹시전화|방문해서|현장|일요일에도|토요일에도|주말에도|휴일에도|공휴일에도|도예약"
)
_VAGUE = (
    re.compile(
        r"예약(?:이|을|에|건|쪽|일|때)*(?:관련|때문|때매|건|문의|일로|에대해|대해|물어|쪽|으로전화|궁금|"
        r"여쭤|땜에|이있는데|있는데|있어서|좀여쭤)"
    ),
    re.compile(
        r"예약(?:이|을|은|도)?(?:했는데|해놨는데|해놓|해뒀|한사람|한환자|돼있는데|되어있는데|돼있어|잡혀있는데|"
        r"잡아놨는데|잡았는데|못갈|못가|못지킬|했었는데|했거든|한게있는데|한거있는데)"
    ),
)
_ONLY_OWN_BOOKING = re.compile(r"(?:^|네|저기)(?:제|내|저의|저희)예약(?:이)?요?$")
_STAFF = (
    r"(?:상담원|상담사|상담직원|직원|사람|원무과|담당자|담당|안내원|교환원|교환|간호사|데스크|실무자|"
    r"관계자|책임자|진짜사람)(?:분|님)?"
)
_TALK = (
    rf"(?:통화|얘기|이야기|대화|상담|말|말씀|말씀나누)(?:을|를|좀|도)*(?:하고{_WANT}|할수있(?!는)|할게|할래|"
    r"하려고|하게해|좀|요$|원|부탁|$|가능|나누고싶|할까요|드리고싶|시켜)"
)
_PERSON = (
    re.compile(
        rf"(?:{_STAFF}|선생님|의사|교수님|원장님)(?:이랑|하고|과|와|한테|께|에게|으로|로|쪽으로|을|를|좀|이|"
        rf"직접|다시|빨리|그냥)*(?:{_TALK})"
    ),
    re.compile(
        rf"{_STAFF}(?:이랑|하고|과|와|한테|께|에게|으로|로|쪽으로|을|를|좀|이|에|직접|다시|빨리|그냥|전화)*"
        rf"(?:연결(?:을|좀|도)*(?:해주{_TOLD}|해줘|해달|부탁|하고{_WANT}|시켜|요$|이요$|$|할수있|될까|되나|돼요|"
        r"가능|원|해요?$|바라|바랍|할게)|바꿔(?:주|줘|달|요$|$)|바꾸(?:라|고싶)|불러(?:주|줘|달)|"
        r"돌려(?:주|줘|달)|대(?:주세|줘)|나오라|부탁|필요해|필요합|원해|원합)"
    ),
    re.compile(
        r"(?:^|말고|그냥|네|아니|아니요|빨리|저기요?|됐고요?|됐어요?|됐습니다|됐으니까?|그만하고|괜찮으니까?|차라리|그럼)(?:상담원|상담사|직원|사람|원무과|담당자)(?:분|님)?"
        r"(?:좀)?(?:이)?요?$"
    ),
    re.compile(
        rf"^(?:네|예|그냥|빨리|얼른|그럼|전화|좀|바로)*연결(?:좀)?(?:해주{_TOLD}|해줘|해달|부탁)"
    ),
    re.compile(rf"직접(?:통화|얘기|이야기|말)(?:을|를|좀)*(?:하고{_WANT}|할수있|할래|하게해)"),
)
_END = (
    re.compile(
        r"(?<!말)끊(?:어(?:주(?!지)|줘|달|요$|도돼|도됩|도될|$)|을게(?!요?라)|겠|자$|을래|습니다|을께|으세요|으셔도|"
        r"으시면돼|읍시다)"
    ),
    re.compile(
        r"(?:통화|전화)(?:를|을|는|좀)?(?:그만|이만)?(?:종료(?:해|할게|하)|그만할게|마칠게|그만하)"
    ),
    # What is typed is ended in other words.
    re.compile(
        r"(?:대화|채팅|상담)(?:를|을|은|는|좀)?(?:그만|이만|이제)?"
        r"(?:종료(?:해|할게|하)|그만할게|마칠게|그만하|끝낼게|끝내(?:주(?!지)|줘|자|고싶)|닫아(?:주|줘))"
    ),
)
_NOT_THE_LINE = re.compile(
    r"(?:담배|술|약|커피|밥|연락|인연|탄수화물|관계)(?:을|를|도|은)?.{0,3}끊"
)


def read_intent(words: str) -> Intent:
    """The one thing these words ask for; ``NONE`` for anything else, questions included.

    A person comes first, then ending, then the last wish said; a vague mention only if alone.
    """
    found = read_intents(words)
    for first in (Intent.PERSON, Intent.END_CALL):
        if first in found:
            return first
    clear = [intent for intent in found if intent is not Intent.VAGUE_BOOKING]
    if clear:
        return clear[-1]
    return found[-1] if found else Intent.NONE


def read_intents(words: str) -> tuple[Intent, ...]:
    """Every wish in these words, one per sentence and in their order, without ``NONE``."""
    found = (_read_sentence(sentence) for sentence in folded_sentences(words))
    return tuple(intent for intent in found if intent is not Intent.NONE)


def _read_sentence(said: str) -> Intent:
    if _any(_PERSON, said):
        return Intent.PERSON
    if _any(_END, said) and not _NOT_THE_LINE.search(said):
        return Intent.END_CALL
    return _read_booking(said)


def _read_booking(said: str) -> Intent:
    """Change before cancel before the rest: "취소하고 다시 잡아 주세요" is a change."""
    if not _about_other_thing(said):
        if _any(_CHANGE, said):
            return Intent.CHANGE
        if _any(_CANCEL, said):
            return Intent.CANCEL
    if _ONLY_OWN_BOOKING.search(said):
        return Intent.VAGUE_BOOKING
    if _any(_INQUIRE, said):
        return Intent.INQUIRE
    if _any(_CREATE, said) or _asks_for_a_booking(said):
        return Intent.CREATE
    return Intent.VAGUE_BOOKING if _any(_VAGUE, said) else Intent.NONE


def _asks_for_a_booking(said: str) -> bool:
    """ "내일 예약돼요?" asks for one; "인터넷 예약돼요?" asks how it is done."""
    return bool(_CREATE_IF_ASKED.search(said)) and not _ABOUT_BOOKING.search(said)


_OTHER_THING_DONE = re.compile(
    rf"{_OTHER_THING}(?:취소|변경|바꾸|바꿔|바꿀|수정|옮기|옮겨|미루|연기)"
)


def _about_other_thing(said: str) -> bool:
    return bool(_OTHER_THING_DONE.search(said))


def _any(patterns: tuple[re.Pattern[str], ...], said: str) -> bool:
    return any(pattern.search(said) for pattern in patterns)
