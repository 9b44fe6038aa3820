"""The ASGI application: pages through Django, sockets through Channels, both behind the session's user."""

import gc
import os
import sys
from importlib import import_module
from importlib.util import find_spec

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "liuzhou.settings")
os.environ.setdefault("LIUZHOU_DB_POOL", "16")  # see settings: pages run in many threads
# Threads that run pages and services hand the interpreter back so often: sockets do not wait 5 ms (the default) behind each.
sys.setswitchinterval(0.0005)
django_application = get_asgi_application()  # before anything that imports models

from channels.auth import AuthMiddlewareStack  # noqa: E402
from channels.routing import ProtocolTypeRouter, URLRouter  # noqa: E402
from channels.security.websocket import AllowedHostsOriginValidator  # noqa: E402

routes = import_module("rooms.routing").websocket_urlpatterns if find_spec("rooms.routing") else []

application = ProtocolTypeRouter(
    {
        "http": django_application,
        "websocket": AllowedHostsOriginValidator(AuthMiddlewareStack(URLRouter(routes))),
    }
)

import_module("rooms.overdue").stand_in()

# What is loaded by now stays: the collector need not walk it again and again, nor as often as its defaults have it.
gc.collect()
gc.freeze()
gc.set_threshold(50_000, 20, 20)
