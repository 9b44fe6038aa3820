"""An agent's invitation link, and the picture a phone across the table reads it from."""

import io

import segno
from django.http import HttpRequest
from django.urls import reverse

from liuzhou.accounts.agents.models import Agent


def link_of(request: HttpRequest, agent: Agent) -> str:
    return request.build_absolute_uri(reverse("agent_invitation", args=[agent.token]))


def drawn(link: str) -> bytes:
    """The link as a QR code (SVG)."""
    picture = io.BytesIO()
    segno.make(link, error="m").save(picture, kind="svg", scale=6, border=2, dark="#12312a", light="#fdf6ea")
    return picture.getvalue()
