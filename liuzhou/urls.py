"""Every page's address."""

from importlib.util import find_spec

from django.contrib import admin
from django.templatetags.static import static
from django.urls import URLPattern, URLResolver, include, path
from django.utils.functional import lazy
from django.views.decorators.cache import cache_control
from django.views.generic import RedirectView
from django.views.i18n import JavaScriptCatalog

from liuzhou import health
from liuzhou.accounts.agents.pages import invitation
from liuzhou.operations.metrics import metrics
from liuzhou.operations.pages import banners

urlpatterns: list[URLPattern | URLResolver] = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", metrics, name="metrics"),
    path("banners/", banners, name="banners"),
    # Pages without a link to the icon, such as Django's admin, are asked for it here.
    path("favicon.ico", RedirectView.as_view(url=lazy(static, str)("img/favicon.svg"))),
    path("accounts/", include("liuzhou.accounts.urls")),
    path("a/<str:token>/", invitation, name="agent_invitation"),
    path("i18n/", include("django.conf.urls.i18n")),
    path(
        "i18n/catalog.js",
        cache_control(private=True, max_age=300)(JavaScriptCatalog.as_view(packages=["liuzhou"])),
        name="javascript-catalog",
    ),
    path("admin/", admin.site.urls),
    *[path("", include(name)) for name in ("ledger.urls", "rooms.urls", "rooms.records_urls") if find_spec(name)],
]

handler400 = "liuzhou.errors.bad_request"
handler403 = "liuzhou.errors.forbidden"
handler404 = "liuzhou.errors.not_found"
handler500 = "liuzhou.errors.server_error"
