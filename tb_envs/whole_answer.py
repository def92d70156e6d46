"""An HTTP client whose read timeout is for the whole answer, not for each part of it.

Some gateways send white space while a model thinks, to keep the connection alive. With the usual
meaning of a timeout, such an answer may take for ever.
"""

import time
from contextlib import closing
from typing import Any

import openai


class WholeAnswerClient(openai.DefaultHttpxClient):
    """Reads every answer whole; one whose parts go on past the read timeout is given up."""

    def send(self, request: Any, **options: Any) -> Any:
        """Send a request and return the answer, its body read.

        Raises:
            TimeoutError: the answer was not whole in time.
        """
        timeout_s = request.extensions["timeout"]["read"]
        deadline = time.monotonic() + timeout_s
        options["stream"] = True
        response = super().send(request, **options)
        body = bytearray()
        with closing(response):
            for part in response.iter_raw():
                body += part
                if time.monotonic() > deadline:
                    raise TimeoutError(f"the answer was not whole after {timeout_s:.1f} s")
        return type(response)(
            response.status_code,
            headers=response.headers,
            content=bytes(body),
            request=request,
            extensions=response.extensions,
        )
