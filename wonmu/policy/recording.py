"""Whether the caller objects to the recording of the call (R67).

The greeting says that the call may be recorded and that the caller may object; so an objection is
heard in every state. It must never read one out of a question ("녹음되나요?").
"""

from __future__ import annotations

import re

_OBJECTS = re.compile(
    r"녹음.{0,12}(싫|원하지\s*않|원치\s*않|하지\s*(마|말)|안\s*(했으면|하면\s*좋|하고\s*싶|할래|되게|해\s*주)|"
    r"거부|거절|빼\s*주|꺼\s*주|중지|끄|동의\s*(안|하지\s*않|못))"
)
_ASKS = re.compile(r"(나요|까요|니까|가요|죠|는지)[\s?.!]*$")


def objects_to_recording(words: str) -> bool:
    """True for a plain objection."""
    return bool(_OBJECTS.search(words)) and not _ASKS.search(words)
