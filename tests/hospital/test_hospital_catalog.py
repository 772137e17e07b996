"""What callers say → departments and doctors of this hospital's own lists (T9, B1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wonmu.hospital import Catalog, load_hospitals
from wonmu.hospital.catalog import DepartmentMatch, DoctorMatch, Found, NotFound, Several
from wonmu.hospital.heard import letters_off, sound
from wonmu.ids import DepartmentId, DoctorId, HospitalId

pytestmark = pytest.mark.unit

_DEMO = {hospital.id: Catalog(hospital) for hospital in load_hospitals().all()}
HANBIT = _DEMO[HospitalId("hanbit")]
SAEBOM = _DEMO[HospitalId("saebom")]


def ids(match: DepartmentMatch | DoctorMatch) -> str:
    """``a`` found, ``~a`` found one letter off, ``a|b`` several, ``-said`` not here, ``-`` none."""
    match match:
        case Found(id, near):
            return ("~" if near else "") + id
        case Several(several):
            return "|".join(several)
        case NotFound(said):
            return "-" + said


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("내과요", "internal"),
        ("내과 예약하려고요", "internal"),
        ("저는내과로", "internal"),
        ("한빛병원 내과 부탁드려요", "internal"),
        ("정형외과요", "ortho"),
        ("정형 외과 예약", "ortho"),
        ("외과요", "surgery"),
        ("일반외과요", "surgery"),
        ("소아과에서 박 선생님께 진료받고 싶은데요", "pediatrics"),
        ("소청과", "pediatrics"),
        ("소아 청소년과 예약할게요", "pediatrics"),
        ("건강검진 받으려고요", "checkup"),
        ("내시경 하려고 하는데요", "checkup"),
        ("피부과로 해 주세요", "derma"),
        ("정형와과요", "~ortho"),
        ("소아가요", "~pediatrics"),
        ("내과나 피부과", "internal|derma"),
        ("내과 아니면 외과요", "internal|surgery"),
        ("내과 말고 외과요", "surgery"),
        ("내과 아니 정형외과요", "ortho"),
        ("내과가 아니라 피부과요", "derma"),
        ("내과요 아니요 외과요", "surgery"),
        ("내과 말고요", "-"),
        ("신경외과 있나요", "-신경외과"),
        ("성형외과요", "-성형외과"),
        ("심장내과", "-심장내과"),
        ("이비인후과 돼요?", "-이비인후과"),
        ("산부인과 진료", "-산부인과"),
        ("제안과 관련해서", "-"),
        ("예약하려고요", "-"),
        ("", "-"),
        ("배가 아파요", "-"),
    ],
)
def test_departments_of_hanbit(words: str, expected: str) -> None:
    assert ids(HANBIT.find_department(words)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("안과요", "eye"),
        ("내일안과 되나요", "eye"),
        ("제안과 관련해서", "-"),
        ("공간안과밖", "-"),
        ("이빈후과요", "ent"),
        ("이비인후과 예약", "ent"),
        ("신경외과요", "-신경외과"),
        ("신경과요", "neuro"),
        ("가정 의학과", "family"),
        ("MRI 찍으려고요", "imaging"),
        ("mri요", "imaging"),
        ("내과요", "-내과"),
    ],
)
def test_departments_of_saebom(words: str, expected: str) -> None:
    assert ids(SAEBOM.find_department(words)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("김서연 원장님이요", "kim-seoyeon"),
        ("김 서연 선생님", "kim-seoyeon"),
        ("김서연이요", "kim-seoyeon"),
        ("김태양 과장님께 보고 싶어요", "kim-taeyang"),
        ("김 선생님", "kim-seoyeon|kim-taeyang"),
        ("김 선생님이요", "kim-seoyeon|kim-taeyang"),
        ("김 원장님", "kim-seoyeon"),
        ("김 과장님", "kim-taeyang"),
        ("김쌤", "kim-seoyeon|kim-taeyang"),
        ("정형외과 김 선생님", "kim-taeyang"),
        ("소아과에서 박 선생님께 진료받고 싶은데요", "park-haneul"),
        ("박 선생님", "park-doyun|park-haneul"),
        ("최 선생님 오늘 계세요", "choi-minseok"),
        ("최민석 교수님", "choi-minseok"),
        ("원장님", "kim-seoyeon|lee-junho"),
        ("원장님께 진료받고 싶어요", "kim-seoyeon|lee-junho"),
        ("내과 원장님", "kim-seoyeon"),
        ("이번주 원장님", "kim-seoyeon|lee-junho"),
        ("전문의요", "jung-jaehee"),
        ("서연쌤", "kim-seoyeon"),
        ("하늘 선생님", "park-haneul"),
        ("정재희 선생님", "jung-jaehee|jung-jehee"),
        ("정제희 과장님", "jung-jaehee|jung-jehee"),
        ("정재히 선생님", "jung-jaehee|jung-jehee"),
        ("피부과 정재희 선생님", "jung-jehee"),
        ("소아과 제희 선생님", "jung-jaehee"),
        ("김서윤 선생님", "~kim-seoyeon"),
        ("이준오 원장님", "~lee-junho"),
        ("박도윤", "park-doyun"),
        ("박도연 과장님이요", "~park-doyun"),
        ("김서연 말고 박도윤 선생님", "park-doyun"),
        ("김서연 선생님 말고 박도윤 선생님이요", "park-doyun"),
        ("김서연 선생님이나 박도윤 선생님이요", "kim-seoyeon|park-doyun"),
        ("김서연 선생님은 싫어요", "-"),
        ("김 선생님이요 김서연 선생님", "kim-seoyeon"),
        ("홍길동 원장님", "-홍길동 원장님"),
        ("강 선생님이요", "-강 선생님"),
        ("황보 선생님", "-황보 선생님"),
        ("선생님", "-"),
        ("담당 선생님", "-"),
        ("의사 선생님 뵙고 싶어요", "-"),
        ("여선생님으로요", "-"),
        ("아무나요", "-"),
        ("예약하려고요", "-"),
        ("", "-"),
    ],
)
def test_doctors_of_hanbit(words: str, expected: str) -> None:
    assert ids(HANBIT.find_doctor(words)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("남궁현 과장님", "namgung-hyeon"),
        ("남궁 선생님", "namgung-hyeon"),
        ("남궁 박사님이요", "namgung-hyeon"),
        ("부원장님", "shin-dongha"),
        ("원장님", "yoon-bomi|oh-sehyeon"),
        ("윤 원장님", "yoon-bomi"),
        ("이비인후과 윤 선생님", "yoon-garam"),
        ("백솔 과장님", "baek-sol"),
        ("백설 선생님", "~baek-sol"),
        ("백설 같아요", "-"),
        ("오후 원장님", "yoon-bomi|oh-sehyeon"),
        ("오 원장님", "oh-sehyeon"),
    ],
)
def test_doctors_of_saebom(words: str, expected: str) -> None:
    assert ids(SAEBOM.find_doctor(words)) == expected


@pytest.mark.parametrize(
    ("words", "department", "expected"),
    [
        ("김 선생님", "internal", "kim-seoyeon"),
        ("박 선생님", "pediatrics", "park-haneul"),
        ("정재희 선생님", "derma", "jung-jehee"),
        ("원장님", "ortho", "lee-junho"),
        ("김서연 선생님", "ortho", "kim-seoyeon"),  # somebody of another department
        ("박 선생님", "ortho", "park-doyun|park-haneul"),
    ],
)
def test_the_department_decides_among_several(words: str, department: str, expected: str) -> None:
    assert ids(HANBIT.find_doctor(words, DepartmentId(department))) == expected


@pytest.mark.parametrize(
    ("words", "any_doctor"),
    [
        ("아무나요", True),
        ("아무나 괜찮아요", True),
        ("상관없어요", True),
        ("상관 없습니다", True),
        ("아무 선생님이나 괜찮아요", True),
        ("누구든 괜찮아요", True),
        ("선생님은 상관 없어요", True),
        ("어느 분이든요", True),
        ("빠른 선생님으로요", True),
        ("가능한 분으로 해 주세요", True),
        ("시간은 상관없고 선생님도 상관없어요", True),
        ("시간은 상관없어요", False),
        ("요일 상관없이요", False),
        ("아무 때나요", False),
        ("언제든 상관없어요", False),
        ("아무나는 싫어요", False),
        ("김 선생님이요", False),
        ("내과요", False),
        ("", False),
    ],
)
def test_any_doctor(words: str, any_doctor: bool) -> None:
    assert HANBIT.wants_any_doctor(words) is any_doctor


def test_closed_lists() -> None:
    assert len(HANBIT.departments()) == 6
    assert [d.id for d in HANBIT.doctors(DepartmentId("internal"))] == [
        "kim-seoyeon",
        "park-doyun",
    ]
    assert len(HANBIT.doctors()) == 9
    assert HANBIT.doctors(DepartmentId("eye")) == ()
    assert HANBIT.department(DepartmentId("eye")) is None
    doctor = HANBIT.doctor(DoctorId("kim-seoyeon"))
    assert doctor is not None
    assert doctor.spoken == "김서연 원장"
    assert HANBIT.doctor(DoctorId("yoon-bomi")) is None


@pytest.mark.parametrize(
    ("one", "other", "off"),
    [("김서연", "김서연", 0), ("김서연", "김서윤", 1), ("재희", "제희", 1), ("가", "나무", 99)],
)
def test_letters_off(one: str, other: str, off: int) -> None:
    assert letters_off(one, other) == off


def test_sounds() -> None:
    assert sound("정재희") == sound("정제히") != sound("정조희")


_WORDS = st.lists(
    st.sampled_from(
        [
            "내과",
            "외과",
            "정형외과",
            "소아과",
            "김",
            "박",
            "정",
            "서연",
            "김서연",
            "정재희",
            "선생님",
            "원장님",
            "과장님",
            "말고",
            "아니",
            "아니면",
            "아무나",
            "이나",
            "요",
            "에서",
            "남궁",
            "신경외과",
            "상관없어요",
            "오늘",
        ]
    ),
    max_size=8,
)


@given(st.one_of(st.text(max_size=40), _WORDS.map(" ".join), _WORDS.map("".join)))
def test_only_own_ids_ever_come_out(words: str) -> None:
    for catalog in (HANBIT, SAEBOM):
        departments = {d.id for d in catalog.departments()}
        doctors = {d.id for d in catalog.doctors()}
        match catalog.find_department(words):
            case Found(id):
                assert id in departments
            case Several(several):
                assert len(several) > 1
                assert departments.issuperset(several)
        match catalog.find_doctor(words):
            case Found(doctor):
                assert doctor in doctors
            case Several(of):
                assert len(of) > 1
                assert doctors.issuperset(of)
        catalog.wants_any_doctor(words)
