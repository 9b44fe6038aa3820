"""Settings: everything a deployment may change comes from the environment (docs/operations.md lists it);
the defaults are the embedded development set-up."""

import os
import secrets
from datetime import timedelta
from pathlib import Path

import dj_database_url
from csp.constants import NONE, SELF

from liuzhou.holidays import days_from
from liuzhou.services.process import read_json

BASE_DIR = Path(__file__).resolve().parent.parent
VAR_DIR = Path(os.environ.get("LIUZHOU_VAR") or BASE_DIR / "var").resolve()


def _flag(name: str, default: bool) -> bool:
    return os.environ.get(name, "1" if default else "0").lower() in ("1", "true", "yes", "on")


DEBUG = _flag("DEBUG", False)
PRODUCTION = _flag("PRODUCTION", False)


def _secret_key() -> str:
    """The key from the environment, or one made once and kept under var/ (so that restarts keep sessions)."""
    if key := os.environ.get("SECRET_KEY"):
        return key
    if PRODUCTION:
        raise SystemExit("PRODUCTION=1 needs SECRET_KEY (docs/operations.md)")
    path = VAR_DIR / "secret_key"
    if not path.exists() or not path.stat().st_size:
        path.parent.mkdir(parents=True, exist_ok=True)
        part = path.with_name(f".secret_key.{os.getpid()}")
        with open(os.open(part, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "w") as file:
            file.write(secrets.token_urlsafe(50))
        try:
            os.link(part, path)  # whole or not at all, and the first of several processes wins
        except FileExistsError:
            pass
        finally:
            part.unlink()
    return path.read_text()


SECRET_KEY = _secret_key()
ALLOWED_HOSTS = os.environ.get("ALLOWED_HOSTS", "localhost 127.0.0.1 [::1]" if PRODUCTION else "*").split()
CSRF_TRUSTED_ORIGINS = os.environ.get("CSRF_TRUSTED_ORIGINS", "").split()

INSTALLED_APPS = [
    "daphne",
    "liuzhou.operations.admin_config.SiteConfig",
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
    "allauth.usersessions",
    "liuzhou.operations.admin_config.AxesConfig",
    "django_htmx",
    "csp",
    "import_export",
    "django_filters",
    "liuzhou",
    "liuzhou.trail",
    "liuzhou.values",
    "liuzhou.accounts",
    "liuzhou.accounts.agents",
    "ledger",
    "rooms",
    "liuzhou.fairness",
    "liuzhou.operations",
]

MIDDLEWARE = [
    "liuzhou.operations.counting.Counting",
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
    "liuzhou.accounts.middleware.PreferredLanguage",
    "liuzhou.fairness.middleware.DeviceCookie",
    "liuzhou.operations.middleware.StaffDoor",
    "axes.middleware.AxesMiddleware",
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
                "liuzhou.accounts.context.wallet",
                "liuzhou.accounts.context.preferences",
            ],
        },
    },
]

# ---- Database ------------------------------------------------------------------------------------
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
# Pages run in a thread of their own each under ASGI, where a connection kept by its thread would leak: the serving
# processes (liuzhou/asgi.py) use a pool of this size instead; everything else keeps its one connection.
_POOL = int(os.environ.get("LIUZHOU_DB_POOL", "0"))


def _database(url: str, **more: object) -> dict[str, object]:
    return {**dj_database_url.parse(url), **more}


def _app_options(url: str) -> dict[str, object]:
    """The application is `liuzhou_app`, whatever it logs in as: it may not write the ledger's tables."""
    options: dict[str, object] = {}
    if dj_database_url.parse(url)["USER"] != APP_ROLE:
        options["options"] = f"-c role={APP_ROLE}"
    if _POOL:
        options["pool"] = {"min_size": 1, "max_size": _POOL, "timeout": 5}
    return options


DATABASES = {
    "default": _database(
        DATABASE_URL,
        OPTIONS=_app_options(DATABASE_URL),
        CONN_MAX_AGE=0 if _POOL else 60,
        CONN_HEALTH_CHECKS=True,
    ),
    # Migrations only: `manage.py migrate --database=owner`.
    "owner": _database(DATABASE_OWNER_URL, TEST={"MIRROR": "default"}),
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# ---- Valkey: cache, channel layer, broker. Nothing in it is needed to go on after losing it ------
REDIS_URL = os.environ.get("REDIS_URL") or _EMBEDDED.get("REDIS_URL", "redis://127.0.0.1:1/0")
CACHES = {
    "default": {
        "BACKEND": "django.core.cache.backends.redis.RedisCache",
        "LOCATION": REDIS_URL,
        "KEY_PREFIX": "cache",
        # A mass disconnect asks for many connections at once; redis-py's default of 100 then raises.
        "OPTIONS": {"max_connections": 500, "socket_connect_timeout": 5, "socket_timeout": 5},
    }
}
CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.pubsub.RedisPubSubChannelLayer",
        # redis-py 8 closes idle sockets after 5 s unless told not to.
        "CONFIG": {
            "hosts": [{"address": REDIS_URL, "socket_timeout": None, "max_connections": 500}],
            "prefix": "layer",
        },
    }
}

CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {
    # A task that a killed worker had taken returns after this; alarms are at most a second ahead, and the sweep finds
    # their rows again anyway.
    "visibility_timeout": 60,
    "socket_keepalive": True,
    "socket_connect_timeout": 5,
    "global_keyprefix": "celery:",
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_REDIS_MAX_CONNECTIONS = 200
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TIMEZONE = "Asia/Shanghai"
CELERY_ENABLE_UTC = True
# Tasks are short and wait on the database; a few processes suffice. Many prefetched tasks would wait behind a long one.
CELERY_WORKER_CONCURRENCY = int(os.environ.get("CELERY_CONCURRENCY", "2"))
CELERY_WORKER_PREFETCH_MULTIPLIER = 2
CELERY_WORKER_SEND_TASK_EVENTS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_SOFT_TIME_LIMIT = 60
CELERY_TASK_TIME_LIMIT = 90

# ---- Accounts ------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
AUTHENTICATION_BACKENDS = ["liuzhou.accounts.lockouts.Backend"]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "liuzhou.accounts.validators.LongEnough", "OPTIONS": {"min_length": 8}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/"
LOGIN_URL = "/accounts/login/"
ACCOUNT_ADAPTER = "liuzhou.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "signup": "liuzhou.accounts.forms.SignupForm",
    "login": "liuzhou.accounts.forms.LoginForm",
    "change_password": "liuzhou.accounts.forms.ChangePasswordForm",
}
ACCOUNT_LOGIN_METHODS = {"username"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "password1*", "password2*"]
ACCOUNT_USERNAME_VALIDATORS = "liuzhou.accounts.validators.username_validators"
ACCOUNT_USERNAME_MIN_LENGTH = 2
ACCOUNT_USERNAME_BLACKLIST = ["admin", "administrator", "root", "system", "liuzhou", "系统", "管理员", "客服", "官方"]
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_SESSION_REMEMBER = True
# Developers' tools (selfplay) sign up many players from one address.
ACCOUNT_RATE_LIMITS = {"signup": os.environ.get("SIGNUP_RATE", "20/m/ip" if PRODUCTION else "2000/m/ip")}
if not PRODUCTION:
    ACCOUNT_RATE_LIMITS["login"] = "2000/m/ip"
# After so many wrong passwords for a name *from one address*, that address waits: nobody locks anybody else out, and nobody
# for ever. Rows are written for failures alone.
AXES_ENABLED = True
AXES_FAILURE_LIMIT = 5
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_USERNAME_CALLABLE = "liuzhou.accounts.lockouts.username"
AXES_CLIENT_IP_CALLABLE = "liuzhou.accounts.lockouts.address"
AXES_LOCKOUT_CALLABLE = "liuzhou.accounts.lockouts.locked_out"
AXES_RESET_ON_SUCCESS = True
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False
AXES_DISABLE_ACCESS_LOG = True
AXES_ENABLE_ADMIN = False  # liuzhou.operations shows them, to read
AXES_VERBOSE = False
# Staff prove themselves by TOTP; after so many seconds alone, or since the proof, they do so again.
STAFF_MFA = _flag("STAFF_MFA", True)
STAFF_IDLE = int(os.environ.get("STAFF_IDLE", "1800"))
STAFF_AGE = int(os.environ.get("STAFF_AGE", "28800"))
MFA_SUPPORTED_TYPES = ["totp", "recovery_codes"]
MFA_TOTP_ISSUER = "柳州麻将"
MFA_ADAPTER = "liuzhou.accounts.second_factor.Adapter"
MFA_FORMS = {
    "activate_totp": "liuzhou.accounts.second_factor.ActivateForm",
    "authenticate": "liuzhou.accounts.second_factor.AuthenticateForm",
    "reauthenticate": "liuzhou.accounts.second_factor.ReauthenticateForm",
}
ALLAUTH_TRUSTED_PROXY_COUNT = int(os.environ.get("TRUSTED_PROXIES", "0"))

# ---- Coins the house gives, and limits of playing ------------------------------------------------
# Defaults: admins change them while the site runs (liuzhou/values), each process asks for changes so often (seconds; None:
# never).
VALUES_SECONDS: float | None = 1.0
SIGNUP_COINS, SIGNUP_CARDS = 2_000, 8
SIGNIN_COINS = (100, 120, 150, 200, 250, 300, 600)  # for each of the seven days in a row
RELIEF_BELOW, RELIEF_UP_TO, RELIEF_PER_DAY = 128, 500, 3
# The operator's real-name service: a dotted path, `(name, document) -> adult: bool`, None where the two do not agree.
REAL_NAME_HOOK = os.environ.get("REAL_NAME_HOOK", "")
# What a player is who has not been checked: adult, minor, or refuse (nobody plays unchecked).
UNVERIFIED_PLAYERS = os.environ.get("UNVERIFIED_PLAYERS", "adult")
if UNVERIFIED_PLAYERS not in ("adult", "minor", "refuse"):
    raise SystemExit("UNVERIFIED_PLAYERS must be adult, minor or refuse (docs/operations.md)")
# Minors play on these weekdays (Monday is 0) and on public holidays, between these hours in Shanghai.
MINOR_DAYS, MINOR_HOURS = (4, 5, 6), (20, 21)
HOLIDAYS = days_from(os.environ.get("HOLIDAYS_FILE"))
DAILY_LOSS_CAP = int(os.environ.get("DAILY_LOSS_CAP", "0"))  # coins a player may lose in a day; 0: none but their own

# ---- Languages -----------------------------------------------------------------------------------
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", "简体中文"), ("en", "English")]
LOCALE_PATHS = [BASE_DIR / "locale"]
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_SAMESITE = "Lax"
TIME_ZONE = "Asia/Shanghai"
USE_I18N = True
USE_TZ = True

# ---- Static files --------------------------------------------------------------------------------
STATIC_URL = "/static/"
STATIC_ROOT = VAR_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if DEBUG
        else "liuzhou.staticfiles.ModuleStorage"
    },
}
WHITENOISE_USE_FINDERS = WHITENOISE_AUTOREFRESH = DEBUG

# ---- Security ------------------------------------------------------------------------------------
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SESSION_COOKIE_AGE = 30 * 24 * 3600
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
DATA_UPLOAD_MAX_MEMORY_SIZE = 1024 * 1024
CSRF_FAILURE_VIEW = "liuzhou.errors.csrf_failure"

# 'self' covers ws: and wss: in current browsers; for older ones the production hosts are named as well.
_SOCKETS = [f"wss://{host}" for host in ALLOWED_HOSTS if PRODUCTION and host[0] not in "*.["]
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [SELF],
        "connect-src": [SELF, *_SOCKETS],
        "img-src": [SELF, "data:"],
        "object-src": [NONE],
        "base-uri": [SELF],
        "form-action": [SELF],
        "frame-ancestors": [NONE],
    }
}

if PRODUCTION:
    SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = True
    # The proxy in front ends TLS; it must set (never pass on) X-Forwarded-Proto.
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = _flag("SSL_REDIRECT", True)
    SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # asked by machines next door, without TLS
    SECURE_HSTS_SECONDS = int(os.environ.get("HSTS_SECONDS", str(365 * 24 * 3600)))
    SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = True
    ACCOUNT_DEFAULT_HTTP_PROTOCOL = "https"

# ---- Logging: standard output, no request bodies, no addresses with passwords --------------------
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "%(asctime)s %(levelname)s %(name)s: %(message)s"}},
    "handlers": {
        "console": {"class": "logging.StreamHandler", "stream": "ext://sys.stdout", "formatter": "line"},
        "counted": {"class": "liuzhou.operations.counting.Handler", "level": "ERROR"},  # the dashboard's error rate
    },
    "root": {"handlers": ["console", "counted"], "level": os.environ.get("LOG_LEVEL", "INFO")},
    "loggers": {
        "django": {"handlers": [], "propagate": True},
        "django.server": {"handlers": [], "propagate": True, "level": "WARNING"},
        "django.channels.server": {"handlers": [], "propagate": True, "level": "WARNING"},
        "daphne": {"level": "WARNING"},
        "axes": {"level": "ERROR"},  # its rows say the same
        "celery": {"level": "WARNING"},
        "httpx": {"level": "WARNING"},
    },
}

# Chat: a function (dotted path) that takes a text and gives the one to be shown, or words to be masked, one a line in a file.
CHAT_FILTER = os.environ.get("CHAT_FILTER", "")
CHAT_WORDS = Path(words).read_text().split() if (words := os.environ.get("CHAT_WORDS_FILE")) else []

# The coin lobby seats no two players of one network address at a table; off where everybody shares one (development).
COIN_TABLES_TELL_ADDRESSES_APART = _flag("COIN_TABLES_TELL_ADDRESSES_APART", PRODUCTION)

# /metrics: with a token whoever brings it (`Authorization: Bearer …`); without one this machine alone, past no proxy.
METRICS_TOKEN = os.environ.get("METRICS_TOKEN", "")
IMPORT_EXPORT_EXPORT_PERMISSION_CODE = "view"
IMPORT_EXPORT_ESCAPE_ILLEGAL_CHARS_ON_EXPORT = True
