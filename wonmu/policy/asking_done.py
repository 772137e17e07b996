"""Whether the caller asks if what was just done is really done ("예약된 거죠?").

Decides from the words alone; whether anything was done is the call's to know. It must not take a
wish for something new, or a remark about an older booking, for such a question.
"""

from __future__ import annotations

import re

from wonmu.korean.folding import fold

_WELL = r"(?:다|잘|제대로|확실히|정상적으로|그럼|이제)*"
_DONE = r"(?:된|됐|되었|되신|됬|완료된|완료됐|완료되었)(?:거|건|게|것)?(?:은|는|가)?"
_ASKS = (
    r"(?:이?죠|이?지요|맞(?:죠|지요|나요|아요|습니까|는거|는지)|(?:인)?가요?|이?에요|예요|"
    r"입니까|나요|습니까)"
)
_ASKED = (
    re.compile(rf"(?:예약|접수|변경|취소|확정|등록)(?:이|은|는|가|도)?{_WELL}{_DONE}{_ASKS}"),
    re.compile(rf"^(?:네|아|그럼|그러면|이제)*{_WELL}{_DONE}{_ASKS}$"),
)


def asks_if_done(words: str) -> bool:
    """Whether the words ask that."""
    said = fold(words)
    return any(pattern.search(said) for pattern in _ASKED)
