"""An older MCP SDK may be installed, and is refused where tools are served with it."""

import pytest

from tb_envs.errors import UsageError
from tb_envs.tools.mcp_release import require_mcp


@pytest.mark.parametrize("release", ["2.3.0", "2.10", "2.4.0rc1"])
def test_a_new_enough_release_is_taken(release: str) -> None:
    require_mcp(release)


@pytest.mark.parametrize("release", ["1.30.0", "2.0.0", "2.2.9"])
def test_an_older_release_is_refused_with_what_to_do(release: str) -> None:
    with pytest.raises(UsageError, match=rf"got {release}; .*pip install 'mcp>=2\.3,<3'"):
        require_mcp(release)
