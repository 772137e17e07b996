"""``wonmu line-plot``: a recording of the simulated line as a picture."""

from __future__ import annotations

import sys
from pathlib import Path

from wonmu.errors import InputError
from wonmu.testing.plot import fonts, plot
from wonmu.testing.recording import Recording


def run_line_plot(file: str, out: str | None) -> int:
    """Draw ``file`` into ``out`` (default: beside it, as .png). Raises ``InputError``."""
    path = Path(file)
    target = Path(out) if out is not None else path.with_suffix(".png")
    recording = _read(path)
    letters = fonts()
    if not letters.hangul:
        sys.stderr.write(
            "no font with Hangul was found, so the words are left out; "
            "install one, for example the package fonts-noto-cjk\n"
        )
    try:
        plot(recording, letters).save(target, "PNG")
    except OSError as error:
        raise InputError(
            f"--out {target}: cannot be written ({error.strerror or error})"
        ) from error
    sys.stdout.write(f"{target}\n")
    return 0


def _read(path: Path) -> Recording:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text; a recording is JSON") from None
    try:
        return Recording.from_json(text)
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
