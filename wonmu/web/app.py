"""The web application: routes, and what is around them.

FastAPI and uvicorn come with the extra ``serve``; whoever imports this module needs them.
"""

from __future__ import annotations

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from wonmu.web.api import Api
from wonmu.web.envelope import Envelope
from wonmu.web.front import Front
from wonmu.web.pages import Pages
from wonmu.web.socket import Sockets

_TOLD = ("Retry-After",)
_ASKED = ("Authorization", "Content-Type")


def create_app(front: Front) -> ASGIApp:
    """The application over one front; it opens and closes nothing."""
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.router.routes.extend(Api(front).routes())
    app.router.routes.append(Sockets(front).route())
    app.router.routes.extend(Pages(front).routes())
    named: ASGIApp = app
    if front.origins.named:
        named = CORSMiddleware(
            app,
            allow_origins=sorted(front.origins.named),
            allow_methods=("GET", "POST", "DELETE"),
            allow_headers=_ASKED,
            expose_headers=_TOLD,
            max_age=600,
        )
    return Envelope(named, front)
