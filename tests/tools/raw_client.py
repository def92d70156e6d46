"""A client of streamable HTTP that sends what it is told to, right or wrong."""

from contextlib import AbstractContextManager
from typing import Any

import httpx2

PROTOCOL = "2025-06-18"


class RawClient:
    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx2.Client(
            headers={"accept": "application/json, text/event-stream"}, timeout=60
        )
        hello = self.ask(
            "initialize",
            protocolVersion=PROTOCOL,
            capabilities={},
            clientInfo={"name": "raw", "version": "0"},
        )
        self.refusal = (
            (hello.status_code, hello.json()["error"]["message"]) if hello.is_error else None
        )
        if self.refusal is None:
            self._http.headers["mcp-session-id"] = hello.headers["mcp-session-id"]
            self._http.headers["mcp-protocol-version"] = PROTOCOL

    def __enter__(self) -> "RawClient":
        return self

    def __exit__(self, *_: object) -> None:
        self._http.close()

    def ask(
        self, method: str, headers: dict[str, str | None] | None = None, **params: Any
    ) -> httpx2.Response:
        request = self._http.build_request(
            "POST", self._url, json={"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        )
        for name, value in (headers or {}).items():
            request.headers.pop(name, None)
            if value is not None:
                request.headers[name] = value
        return self._http.send(request)

    def call(self, name: str, arguments: dict[str, Any]) -> httpx2.Response:
        return self.ask("tools/call", name=name, arguments=arguments)

    def listen(self) -> AbstractContextManager[httpx2.Response]:
        return self._http.stream("GET", self._url)

    def leave(self) -> httpx2.Response:
        return self._http.delete(self._url)
