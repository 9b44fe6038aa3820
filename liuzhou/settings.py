"""Settings: everything a deployment may change comes from the environment; the defaults are the embedded development set-up."""

import os
import secrets
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from liuzhou.services.process import read_json

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("LIUZHOU_VAR", BASE_DIR / "var"))


def _flag(name: str, default: bool) -> bool:
    return os.environ.get(name, "1" if default else "0").lower() in ("1", "true", "yes", "on")


DEBUG = _flag("DEBUG", False)


def _secret_key() -> str:
    """The key from the environment, or one made once and kept under var/ (so that restarts keep sessions)."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    path = VAR_DIR / "secret_key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            with open(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
                file.write(secrets.token_urlsafe(50))
        except FileExistsError:
            pass
    return path.read_text()


SECRET_KEY = _secret_key()
PRODUCTION = _flag("PRODUCTION", False)
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "localhost 127.0.0.1 [::1]" if PRODUCTION else "*").split()
CSRF_TRUSTED_ORIGINS = os.environ.get("CSRF_TRUSTED_ORIGINS", "").split()

INSTALLED_APPS = [
    "daphne",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "channels",
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "django_htmx",
    "csp",
    "liuzhou",
    "liuzhou.accounts",
    "ledger",
    "rooms",
]

MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]

ROOT_URLCONF = "liuzhou.urls"
ASGI_APPLICATION = "liuzhou.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.template.context_processors.i18n",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

# Servers of one's own through DATABASE_URL and REDIS_URL; otherwise the embedded ones, whose addresses `manage.py play`
# (or `manage.py services up`) writes to var/services.json.
_EMBEDDED: dict[str, str] = read_json(VAR_DIR / "services.json").get("urls", {})
_NOWHERE = "postgres://liuzhou_app@127.0.0.1:1/liuzhou"
DATABASE_URL = os.environ.get("DATABASE_URL") or _EMBEDDED.get("DATABASE_URL", _NOWHERE)
DATABASE_OWNER_URL = (
    os.environ.get("DATABASE_OWNER_URL")
    or os.environ.get("DATABASE_URL")
    or _EMBEDDED.get("DATABASE_OWNER_URL", _NOWHERE)
)
APP_ROLE = "liuzhou_app"


def _database(url: str, **more: object) -> dict[str, object]:
    return {**dj_database_url.parse(url), **more}


def _app_options(url: str) -> dict[str, str]:
    """The application is `liuzhou_app`, whatever it logs in as: it may not write the ledger's tables."""
    return {} if dj_database_url.parse(url)["USER"] == APP_ROLE else {"options": f"-c role={APP_ROLE}"}


DATABASES = {
    "default": _database(DATABASE_URL, OPTIONS=_app_options(DATABASE_URL), CONN_MAX_AGE=60, CONN_HEALTH_CHECKS=True),
    # Migrations only: `manage.py migrate --database=owner`.
    "owner": _database(DATABASE_OWNER_URL, TEST={"MIRROR": "default"}),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL = os.environ.get("REDIS_URL") or _EMBEDDED.get("REDIS_URL", "redis://127.0.0.1:1/0")
CACHES = {"default": {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": REDIS_URL}}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # redis-py 8 closes idle sockets after 5 s unless told not to.
        "CONFIG": {"hosts": [{"address": REDIS_URL, "socket_timeout": None}]},
    }
}
CELERY_BROKER_URL = REDIS_URL
CELERY_TASK_IGNORE_RESULT = True
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True

AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["allauth.account.auth_backends.AuthenticationBackend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_REDIRECT_URL = "/"
LOGIN_URL = "/accounts/login/"

LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
TIME_ZONE = "Asia/Shanghai"
USE_I18N = True
USE_TZ = True

STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}

CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"default-src": [SELF], "frame-ancestors": [NONE], "base-uri": [SELF]}}
