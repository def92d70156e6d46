"""Which release of the MCP SDK is installed, and whether tools can be served with it.

Other libraries pin older releases of it. An episode needs the SDK only to serve its tools or to
use an outside server's, so those releases may be installed, and are refused where they matter.
"""

import re
from importlib.metadata import version

from tb_envs.errors import UsageError

OLDEST = (2, 3)


def require_mcp(installed: str | None = None) -> None:
    """Refuse an MCP SDK that is too old to serve tools or to reach an outside server with.

    Raises:
        UsageError: it is; says which release is needed.
    """
    release = version("mcp") if installed is None else installed
    numbers = tuple(int(part) for part in re.findall(r"\d+", release)[:2])
    if numbers < OLDEST:
        needed = ".".join(map(str, OLDEST))
        raise UsageError(
            f"mcp: got {release}; serving tools over MCP and outside MCP servers need {needed} or "
            f"newer: pip install 'mcp>={needed},<3', in an environment of its own where another "
            "library pins an older one"
        )
