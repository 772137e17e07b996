"""Every sentence the product speaks and every prompt, as data (house style, "Text").

``Lines.load()`` reads ``<language>/*.yaml`` (file stem, dot, key → text or list of variants) and
``<language>/prompts/*.md``. Decides nothing about when a line is spoken, and never invents one: an
unknown name or a missing, extra or wrongly typed value is a ProgrammingError, a malformed file a
SettingsError that names file and line.
"""

from wonmu.lines.load import Lines
from wonmu.lines.template import Template, Value

__all__ = ["Lines", "Template", "Value"]
