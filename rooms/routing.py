"""The live socket's address."""

from django.urls import re_path

from rooms.consumers import TableConsumer

websocket_urlpatterns = [re_path(r"^ws/r/(?P<code>\d{6})/$", TableConsumer.as_asgi())]
