"""`manage.py protocol`: writes docs/protocol.md from the message types, or with --check says whether it is up to date."""

from __future__ import annotations

import typing
from argparse import ArgumentParser
from inspect import cleandoc
from typing import Any

import msgspec
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from rooms import protocol
from rooms.errors import SENTENCES

HEAD = """# The live socket

Made by `manage.py protocol` from `rooms/protocol.py`; do not edit. Why it is so: `docs/architecture.md`.

Address: `/ws/r/<code>/`, signed in by the session's cookie; JSON text frames, at most {limit} bytes from a client.
`do` says what a client wants, `on` what the server tells. Times are milliseconds since 1970 by the database's clock.
`id` is chosen by the client and comes back in `ack` or `error`; a command sent again with the same `id` has no second
effect. `seq` counts the events that *this seat* has seen of the hand; after a gap a client asks for `sync`.
A seat is never named by a client: it follows from the session.

On connecting the server sends `sync` unasked, then `room`. Close codes: 4401 not signed in, 4403 no seat in this room.
When the player opens the seat anew (他处登录), the older socket is told by an `error` with the code `elsewhere` and no `id`;
it goes on hearing its seat's frames, but its commands other than `ping` and `sync` are refused. Connecting again takes over;
so does its next `ping` when the newer socket is gone: a `sync` with `watching` false says so.

The shapes of views and events are those of `liuzhou/rules/view.py` and `events.py`; the table's own events are
`auto` (`seat`, `on`) and `closed` (`why`, `reason`).
"""


def _type(schema: dict[str, Any]) -> str:
    if "$ref" in schema:
        name = schema["$ref"].split("/")[-1]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in schema:
        return " or ".join(_type(one) for one in schema["anyOf"])
    if "enum" in schema:
        return " ".join(f"`{value}`" for value in schema["enum"])
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if schema.get("items") else "list"
    limits = [f"{key} {schema[key]}" for key in ("minLength", "maxLength", "minimum", "maximum") if key in schema]
    return " ".join([schema.get("type", "anything"), f"({', '.join(limits)})" if limits else ""]).strip()


def _section(kind: Any, schema: dict[str, Any]) -> str:
    doc = kind.__doc__ if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(") else ""
    lines = [f"### {kind.__name__}", "", *([cleandoc(doc), ""] if doc else []), "| field | value | |", "|---|---|---|"]
    required = schema.get("required", [])
    for name, field in schema.get("properties", {}).items():
        note = field.get("description", "") if name in required else f"optional {field.get('description', '')}".strip()
        lines.append(f"| `{name}` | {_type(field)} | {note} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"


def document() -> str:
    """The whole page."""
    groups = {
        "What a client sends": typing.get_args(protocol.AnyCommand),
        "What the server sends": typing.get_args(protocol.AnyFrame),
    }
    _, components = msgspec.json.schema_components([t for kinds in groups.values() for t in kinds])
    shown = {kind.__name__ for kinds in groups.values() for kind in kinds}
    parts = [HEAD.format(limit=protocol.FRAME_LIMIT)]
    for title, kinds in groups.items():
        parts += [f"## {title}\n", *(_section(kind, components[kind.__name__]) for kind in kinds)]
    rest = [getattr(protocol, name) for name in components if name not in shown]
    parts += ["## What they are made of\n", *(_section(kind, components[kind.__name__]) for kind in rest)]
    rows = "\n".join(f"| `{code}` | {zh} | {en} |" for code, (zh, en) in sorted(SENTENCES.items()))
    parts.append(f"## Error codes\n\n| code | 中文 | English |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


class Command(BaseCommand):
    help = "Writes docs/protocol.md from the socket's message types."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only say whether the page is up to date")

    def handle(self, *args: Any, **options: Any) -> None:
        path = settings.BASE_DIR / "docs" / "protocol.md"
        text = document()
        if options["check"]:
            if not path.exists() or path.read_text() != text:
                raise CommandError("docs/protocol.md is out of date: run `manage.py protocol`.")
            return
        path.write_text(text)
