"""A local OpenAI-compatible server for each test that asks for one."""

from collections.abc import Iterator

import pytest

from tests.fake_openai import FakeOpenAI, fake_openai


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with fake_openai() as running:
        yield running
