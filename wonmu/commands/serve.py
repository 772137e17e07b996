"""``wonmu model serve``."""

from __future__ import annotations

from wonmu.errors import InputError


def run_serve(host: str, port: int) -> int:
    """Serve until interrupted."""
    try:
        from wonmu.model.offline.wire import serve
    except ModuleNotFoundError as error:
        raise InputError(
            f"wonmu model serve needs the package {error.name}; install wonmu[serve]"
        ) from error
    serve(host, port)
    return 0
