"""Reading a language folder into lines and prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

import yaml

from wonmu.errors import ProgrammingError, SettingsError
from wonmu.lines.template import Template, TemplateError, Value

HOME = Path(__file__).parent
"""Where the shipped languages live, one folder each."""

_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class Lines:
    """The lines and prompts of one language."""

    def __init__(
        self, lines: Mapping[str, tuple[Template, ...]], prompts: Mapping[str, Template]
    ) -> None:
        self._lines = MappingProxyType(dict(lines))
        self._prompts = MappingProxyType(dict(prompts))

    @classmethod
    def load(cls, language: str = "ko", *, home: Path = HOME) -> Lines:
        """All of ``home/language``. Raises SettingsError naming file, line and mistake."""
        folder = home / language
        if not folder.is_dir():
            raise SettingsError(f"no lines for language {language!r}: {folder} is not a folder")
        lines: dict[str, tuple[Template, ...]] = {}
        for path in sorted(folder.glob("*.yaml")):
            lines.update(_read_yaml(path))
        prompts = {path.stem: _read_prompt(path) for path in sorted(folder.glob("prompts/*.md"))}
        return cls(lines, prompts)

    def say(self, name: str, /, variant: int = 0, **values: Value) -> str:
        """The line ``name`` with its values.

        ``variant`` picks one of several wordings, counted round. ProgrammingError for an unknown
        name and for missing, extra or mistyped values.
        """
        wordings = self._wordings(name)
        try:
            return wordings[variant % len(wordings)].fill(values)
        except ProgrammingError as error:
            raise ProgrammingError(f"line {name!r}: {error}") from error

    def fill(self, name: str, values: Mapping[str, Value]) -> str:
        """``say`` for values that come as a mapping."""
        wording = self._wordings(name)[0]
        try:
            return wording.fill(values)
        except ProgrammingError as error:
            raise ProgrammingError(f"line {name!r}: {error}") from error

    def prompt(self, name: str, /, **values: Value) -> str:
        """The prompt ``prompts/name.md`` with its values; errors as ``say``."""
        template = self._prompts.get(name)
        if template is None:
            raise ProgrammingError(f"no prompt named {name!r}")
        try:
            return template.fill(values)
        except ProgrammingError as error:
            raise ProgrammingError(f"prompt {name!r}: {error}") from error

    def has(self, name: str) -> bool:
        """Whether there is a line of this name."""
        return name in self._lines

    def names(self) -> tuple[str, ...]:
        """Names of all lines, sorted."""
        return tuple(sorted(self._lines))

    def prompt_names(self) -> tuple[str, ...]:
        """Names of all prompts, sorted."""
        return tuple(sorted(self._prompts))

    def placeholders(self, name: str) -> Mapping[str, str]:
        """Placeholder → kind of a line. ProgrammingError for an unknown name."""
        return self._wordings(name)[0].placeholders()

    def variants(self, name: str) -> int:
        """How many wordings a line has."""
        return len(self._wordings(name))

    def sources(self, name: str) -> tuple[str, ...]:
        """The wordings as written, with their placeholders; for tests of the texts."""
        return tuple(template.source for template in self._wordings(name))

    def _wordings(self, name: str) -> tuple[Template, ...]:
        wordings = self._lines.get(name)
        if wordings is None:
            raise ProgrammingError(f"no line named {name!r}")
        return wordings


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise SettingsError(f"{path}: not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except OSError as error:
        raise SettingsError(f"{path}: cannot be read ({error.strerror})") from error


def _read_prompt(path: Path) -> Template:
    try:
        return Template.parse(_read_text(path).strip())
    except TemplateError as error:
        raise SettingsError(f"{path}: {error}") from error


def _read_yaml(path: Path) -> dict[str, tuple[Template, ...]]:
    try:
        root = yaml.compose(_read_text(path), Loader=_LOADER)
    except yaml.YAMLError as error:
        raise SettingsError(f"{path}: not readable as YAML; {error}") from error
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode):
        raise _mistake(path, root, "the file must map names to texts")
    return dict(_walk(path, root, path.stem))


# Nodes, not loaded values: a loader drops a repeated key in silence and turns the key `no` into
# False.
def _walk(
    path: Path, mapping: yaml.MappingNode, prefix: str
) -> Iterator[tuple[str, tuple[Template, ...]]]:
    seen: set[str] = set()
    for key, value in mapping.value:
        if not isinstance(key, yaml.ScalarNode) or not key.value or "." in key.value:
            raise _mistake(path, key, "a name must be one word without a dot")
        if key.value in seen:
            raise _mistake(path, key, f"{key.value!r} is there twice; keep one")
        seen.add(key.value)
        name = f"{prefix}.{key.value}"
        if isinstance(value, yaml.MappingNode):
            yield from _walk(path, value, name)
        else:
            yield name, _wordings_of(path, name, value)


def _wordings_of(path: Path, name: str, node: yaml.Node) -> tuple[Template, ...]:
    nodes = node.value if isinstance(node, yaml.SequenceNode) else [node]
    templates = tuple(_template(path, name, each) for each in nodes)
    if not templates:
        raise _mistake(path, node, f"{name!r} has no text")
    if any(each.placeholders() != templates[0].placeholders() for each in templates):
        raise _mistake(path, node, f"the wordings of {name!r} differ in their placeholders")
    return templates


def _template(path: Path, name: str, node: yaml.Node) -> Template:
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise _mistake(path, node, f"{name!r} must be a text that is not empty")
    try:
        return Template.parse(" ".join(node.value.split()))
    except TemplateError as error:
        raise _mistake(path, node, f"{name!r}: {error}") from error


def _mistake(path: Path, node: yaml.Node, what: str) -> SettingsError:
    return SettingsError(f"{path} line {node.start_mark.line + 1}: {what}")
