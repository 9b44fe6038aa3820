"""The pages as they are, the socket the naive way."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "bench.naive.settings")
pages = get_asgi_application()

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from django.urls import re_path  # noqa: E402

from bench.naive.consumer import NaiveConsumer  # noqa: E402

application = ProtocolTypeRouter(
    {
        "http": pages,
        "websocket": AuthMiddlewareStack(URLRouter([re_path(r"^ws/r/(?P<code>\d{6})/$", NaiveConsumer.as_asgi())])),
    }
)
