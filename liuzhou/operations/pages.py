"""The banners for pages that are open already: what a script asks for now and then. Nobody need be signed in."""

from django.http import HttpRequest, JsonResponse
from django.utils.translation import get_language
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from liuzhou.operations import notices


@require_safe
@cache_control(private=True, max_age=5)
def banners(request: HttpRequest) -> JsonResponse:
    return JsonResponse({"banners": [one._asdict() for one in notices.banners(get_language() or "zh-hans")]})
