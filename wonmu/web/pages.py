"""The widget's settings as JSON, and the pages that show it.

Decides what a page may load: only our own script and styles, nothing inline, no cookie. Texts go
into HTML escaped, and are never put together by a browser from what somebody typed.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from html import escape
from pathlib import Path

from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from wonmu.lines import Lines, Value
from wonmu.web.api import BASE
from wonmu.web.envelope import OP
from wonmu.web.front import Front, House
from wonmu.web.refusal import Refused

STATIC = Path(__file__).parent / "static"
TEXTS = "web.widget."

CONTENT_SECURITY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src data:",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)

VIEWPORT = "width=device-width, initial-scale=1, interactive-widget=resizes-content"
"""The keyboard of a phone makes the page smaller instead of covering the input."""

_PAGE = """<!doctype html>
<html lang="{language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="{viewport}">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/static/page.css">
</head>
<body>
{body}
</body>
</html>
"""

_HOSPITAL = """<header><h1>{name}</h1>
<p>{intro}</p>
<p><a href="tel:{number}">{phone}</a></p></header>
<main id="wonmu-chat"><p class="without">{without}</p></main>
<script src="/static/widget.js" data-hospital="{id}" data-target="wonmu-chat" defer></script>"""

_CHOICE = """<header><h1>{title}</h1></header>
<nav aria-labelledby="choose"><h2 id="choose">{choose}</h2><ul>
{items}
</ul></nav>"""


class _Files(StaticFiles):
    """Our own script and styles; a page of any origin may embed them."""

    def file_response(self, *args: object, **kwargs: object) -> Response:
        response = super().file_response(*args, **kwargs)  # type: ignore[arg-type]
        response.headers["Cache-Control"] = "no-cache"
        response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        response.headers["Access-Control-Allow-Origin"] = "*"  # modules are fetched with CORS
        return response

    async def __call__(self, scope: Scope, *rest: object) -> None:
        scope[OP] = "static"
        await super().__call__(scope, *rest)  # type: ignore[arg-type]


class Pages:
    """The handlers over one front."""

    def __init__(self, front: Front) -> None:
        self._front = front

    def routes(self) -> list[Route | Mount]:
        return [
            Route(BASE + "/widget", _named("widget", self.widget), methods=["GET"]),
            Route("/", _named("page", self.index), methods=["GET"]),
            Route("/h/{hospital}", _named("page", self.hospital), methods=["GET"]),
            Mount("/static", _Files(directory=STATIC)),
        ]

    async def widget(self, request: Request) -> Response:
        """What the widget says and may do at this hospital."""
        house = self._house(request)
        if house is None:
            return _nothing()
        limits = self._front.gate.limits
        return JSONResponse({"texts": widget_texts(house), "text_chars": limits.text_chars})

    async def index(self, request: Request) -> Response:
        """The page of the only hospital, or a choice."""
        houses = list(self._front.houses.values())
        return _page(*(_hospital(houses[0]) if len(houses) == 1 else _choice(houses)))

    async def hospital(self, request: Request) -> Response:
        house = self._house(request)
        return _nothing() if house is None else _page(*_hospital(house))

    def _house(self, request: Request) -> House | None:
        try:
            return self._front.house(request.path_params["hospital"])
        except Refused:
            return None


def widget_texts(house: House) -> dict[str, str]:
    """Every line of the widget by its short name, with the hospital's name and number in it."""
    names = (name for name in house.lines.names() if name.startswith(TEXTS))
    return {name.removeprefix(TEXTS): _say(house, name) for name in names}


def _say(house: House, name: str) -> str:
    hospital = house.hospital
    known: dict[str, Value] = {"hospital": hospital.name, "number": shown_number(hospital.number)}
    wanted = house.lines.placeholders(name)
    return house.lines.fill(name, {each: known[each] for each in wanted})


def shown_number(number: str) -> str:
    """A number as it is written: 02-000-0000."""
    area = 2 if number.startswith("02") else 4 if len(number) == 8 else 3
    if len(number) < 7 or not number.isdigit():
        return number
    return "-".join(part for part in (number[:area], number[area:-4], number[-4:]) if part)


def _hospital(house: House) -> tuple[str, str, str]:
    hospital = house.hospital
    body = _HOSPITAL.format(
        id=escape(hospital.id),
        name=escape(hospital.name),
        number=escape(hospital.number),
        intro=escape(_say(house, "web.page.intro")),
        phone=escape(_say(house, "web.page.phone")),
        without=escape(_say(house, "web.page.without")),
    )
    return hospital.language, _say(house, "web.page.title"), body


def _choice(houses: list[House]) -> tuple[str, str, str]:
    lines: Lines = houses[0].lines
    items = "\n".join(
        f'<li><a href="/h/{escape(house.hospital.id)}">{escape(house.hospital.name)}</a></li>'
        for house in houses
    )
    title = lines.say("web.page.choose_title")
    choose = escape(lines.say("web.page.choose"))
    body = _CHOICE.format(title=escape(title), choose=choose, items=items)
    return houses[0].hospital.language, title, body


def _page(language: str, title: str, body: str) -> Response:
    html = _PAGE.format(
        language=escape(language), viewport=VIEWPORT, title=escape(title), body=body
    )
    return HTMLResponse(html, headers={"Content-Security-Policy": CONTENT_SECURITY})


def _nothing() -> Response:
    return Response(status_code=404)


Handler = Callable[[Request], Awaitable[Response]]


def _named(op: str, handler: Handler) -> Handler:
    async def named(request: Request) -> Response:
        request.scope[OP] = op
        return await handler(request)

    return named
