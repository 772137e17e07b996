"""The rules of the booking task: wishes, the offered times, ways out (S7, S8, B5).

Decides what the caller's words change. Dates, ids, checks and the final yes are code's; this never
says that anything is free, held or booked.
"""

from __future__ import annotations

import re

from wonmu.model.offline import heard, published, unclear
from wonmu.model.offline.desk import who
from wonmu.model.offline.facts import doctors_from_state, split_list
from wonmu.model.offline.intent import Wish, read_wish
from wonmu.model.offline.options import Option, choose, only, read_options
from wonmu.model.offline.phrases import phrase
from wonmu.model.offline.reply import Call, Reply, Say
from wonmu.model.offline.view import View
from wonmu.model.offline.wishes import ANYONE, Named, no_matter, read_named
from wonmu.model.port import ChatRequest

_STOP = re.compile(
    r"예약\s*(?:은|을|는)?\s*(?:안\s*(?:할|하|해)|그만|관둘|취소|됐|말|하지\s*않)|(?:안|그만)\s*(?:할래|할게|하겠)|"
    r"그만\s*(?:둘|두|하)|관둘|취소\s*(?:할게|해\s*주|하고\s*싶|요|할래)|(?:다음에|나중에|생각해\s*보고).{0,8}"
    r"(?:할게|전화|연락|하겠|다시)|없던\s*(?:걸|일)|^(?:그만|취소)(?:요|이요)?[\s.]*$|^(?:아니(?:요|에요)?[\s,]*)?됐(?:어요|습니다)[\s.]*$"
)
_OTHER_BOOKING = re.compile(
    r"(?:다른|기존|지난번?|저번|원래|먼저|이미|전에)\s*(?:에)?\s*.{0,8}예약|예약\s*(?:해\s*(?:둔|놓은|뒀|놨)|한\s*(?:거|것|게)|확인|조회|변경)|"
    r"예약된\s*(?:거|것|게)"
)
_OTHER_MATTER = re.compile(
    r"처방전|진단서|소견서|진료비|수납|환불|결제|영수증|검사\s*결과|결과\s*(?:확인|나왔)|의무\s*기록|차트|보험\s*(?:청구|서류)|"
    r"서류|불만|항의|입원\s*(?:수속|문의)|퇴원"
)
_ANY_TIME = re.compile(r"아무\s*때|언제든|상관\s*없|다\s*(?:괜찮|돼|되)|빠른")
_OTHER_TIME = re.compile(r"다른\s*(?:시간|날|때|날짜)|(?:안|못)\s*(?:돼|되|맞|가)|더\s*없")
_OTHER_DOCTOR = re.compile(r"(?:다른|여자|남자)\s*(?:선생님|분|의사|원장)")
_ASK = {
    "department": ("ask_department_again", "ask_department", "offer_person"),
    "doctor": ("ask_doctor_again", "ask_doctor", "offer_person"),
    "when": ("ask_when_again", "ask_when", "offer_person"),
    "choose": ("ask_choose_again", "ask_choose", "offer_person"),
    "confirm": ("ask_confirm", "offer_person"),
    "": ("ask_any", "ask_when_again", "offer_person"),
}


def decide(view: View, request: ChatRequest) -> Reply:
    """What to say or do next."""
    if not re.search(r"\w", view.last):
        return _again(view)
    for rule in (_out, _chosen, _told, _wished, _answered):
        reply = rule(view)
        if reply is not None:
            return reply
    return _again(view)


def _leave(view: View, reason: str) -> Call:
    return Call("leave_booking", {"caller_words": view.last, "reason": reason})


def _out(view: View) -> Reply | None:
    words = view.last
    if heard.is_injection(words):
        return Say(phrase("refuse_instruction"))
    if heard.wants_person(words):
        return _leave(view, "staff_connection")
    if _OTHER_BOOKING.search(words) and read_wish(words) is not Wish.CREATE:
        return _leave(view, "other_request")
    if _STOP.search(words) or heard.wants_end(words):
        return _leave(view, "cancelled_by_caller")
    if heard.is_hello(words):
        return Say(" ".join((phrase("hello"), _question(view))))
    if heard.wants_repeat(words):
        return Say(view.agent_last or _question(view))
    if heard.asks_who(words):
        return Say(who(view))
    return None


def _chosen(view: View) -> Reply | None:
    options = _options(view)
    number = choose(view.last, options, doctors=_doctor_names(view))
    asked = view.get("방금 물은 것")
    if asked == "confirm" and number is not None and len(options) < 2:
        # The one offer is already read back; saying its time again changes nothing.
        return None
    if number is None and asked == "choose" and heard.is_yes(view.last):
        number = only(options)
    if number is None:
        return None
    return Call("choose_time", {"caller_words": view.last, "number": number})


def _told(view: View) -> Reply | None:
    """Questions: published facts are answered, medical ones are not, others leave the task.

    The open question is not put again here: the prompt says that the program does that.
    """
    words = view.last
    if heard.asks_medical(words):
        return Say(phrase("no_medical"))
    named = _named(view)
    is_wish = bool(named) and not heard.asks_hours(words)
    if named.when and (named.doctor or not heard.asks_hours(words)):
        return None
    published_too = published.asks_people(words) or bool(view.facts.answer_to(words))
    if is_wish and not (published_too and heard.asks(words)):
        return None
    told = published.answer(view) if heard.asks(words) or heard.asks_hours(words) else None
    if told is not None:
        return Say(told)
    if _OTHER_MATTER.search(words):
        return _leave(view, "other_request")
    if heard.asks(words) and not (_OTHER_TIME.search(words) or _OTHER_DOCTOR.search(words)):
        return Say(phrase("not_known_no_person"))
    return None


def _wished(view: View) -> Reply | None:
    named = _named(view)
    asked, words = view.get("방금 물은 것"), view.last
    doctor, when = named.doctor, named.when
    if asked == "doctor" and no_matter(words) and doctor is None:
        doctor = ANYONE
    if asked == "when" and when is None and _ANY_TIME.search(words):
        when = words
    if not (named.department or doctor or when):
        return None
    arguments = {
        "caller_words": words,
        "department": named.department,
        "doctor": doctor,
        "when": when,
    }
    return Call("set_wish", arguments)


def _answered(view: View) -> Reply | None:
    """Yes, no and thanks that stand alone."""
    words, asked = view.last, view.get("방금 물은 것")
    if asked in ("choose", "confirm") and (_OTHER_TIME.search(words) or heard.is_no(words)):
        return Say(phrase("ask_other_when"))
    if _OTHER_DOCTOR.search(words) and _doctors_listed(view):
        return Say(phrase("ask_doctor_again", list=", ".join(_doctors_listed(view))))
    if heard.is_thanks(words):
        return Say(_question(view))
    if asked == "doctor" and (heard.is_no(words) or heard.is_yes(words)):
        if heard.is_yes(words):
            return _again(view)
        arguments = {"caller_words": words, "department": None, "doctor": ANYONE, "when": None}
        return Call("set_wish", arguments)
    return None


def _named(view: View) -> Named:
    departments = split_list(view.state.get("진료과 목록", "")) or view.facts.departments
    return read_named(view.last, departments, _doctor_names(view))


def _doctor_names(view: View) -> list[str]:
    listed = doctors_from_state(view.state.get("의사 목록", ""))
    return [doctor.name for doctor in listed or view.facts.doctors]


def _options(view: View) -> tuple[Option, ...]:
    return read_options(view.get("제시한 시간"))


def _question(view: View) -> str:
    """The open question, short."""
    asked = view.get("방금 물은 것")
    short = {"department": "ask_department", "doctor": "ask_doctor", "when": "ask_when"}
    if asked in short:
        return phrase(short[asked])
    return phrase({"choose": "ask_choose", "confirm": "ask_confirm"}.get(asked, "ask_any"))


def _again(view: View) -> Say:
    """The open question in other words, at last a way out (R78)."""
    asked = view.get("방금 물은 것")
    names = _ASK.get(asked, _ASK[""])
    departments = view.state.get("진료과 목록", "") or ", ".join(view.facts.departments)
    values = {
        "list": departments if asked == "department" else ", ".join(_doctors_listed(view)),
        "options": _options_text(view),
    }
    if "ask_choose_again" in names and not values["options"]:
        names = _ASK["when"]
    if asked in ("department", "doctor") and not values["list"]:
        names = names[1:]
    return Say(unclear.ladder(view.agent, names, **values))


def _doctors_listed(view: View) -> list[str]:
    """Doctors of the wished department; all of them when none is wished."""
    wished = view.get("진료과")
    listed = doctors_from_state(view.state.get("의사 목록", "")) or view.facts.doctors
    fitting = [doctor.name for doctor in listed if not wished or doctor.department == wished]
    return fitting or [doctor.name for doctor in listed]


def _options_text(view: View) -> str:
    return ", ".join(f"{o.number}번 {o.text}" for o in _options(view))
