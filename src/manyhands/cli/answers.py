"""What the hub answered, passed on: as the JSON it is, or as text for a reader."""

from __future__ import annotations

from manyhands.cli.output import emit, write


def pass_on_session(data: bytes, as_json: bool, *, whole: bool = False) -> None:
    """A session: one line, or `whole` with everything it waits for."""
    if as_json:
        emit(data)
        return
    import msgspec

    from manyhands.cli.session_text import print_session, session_line
    from manyhands.model.views import SessionView

    session = msgspec.json.decode(data, type=SessionView)
    if whole:
        print_session(session)
    else:
        write(session_line(session))
