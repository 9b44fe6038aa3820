"""Values and maintenance as the site has them: read from the database, each time."""

from collections.abc import Iterator
from typing import Any

import pytest

from liuzhou.operations import notices
from liuzhou.values import maintenance, services


@pytest.fixture
def steered(settings: Any) -> Iterator[None]:
    settings.VALUES_SECONDS = 0
    for module in (services, maintenance, notices):
        module.forget()
    yield
    for module in (services, maintenance, notices):
        module.forget()
