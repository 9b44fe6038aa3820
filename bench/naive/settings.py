"""The product's settings with the core channel layer."""

from liuzhou.settings import *  # noqa: F403
from liuzhou.settings import REDIS_URL

ROOT_URLCONF = "liuzhou.urls"
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}], "capacity": 5000},
    }
}
