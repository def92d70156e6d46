import sys
from types import ModuleType

import pytest

from tb_envs.errors import SpecError
from tb_envs.tools import load_toolset


def test_an_unknown_toolset_is_a_spec_error_that_names_it() -> None:
    with pytest.raises(SpecError, match="toolsets: there is no toolset 'no_such'"):
        load_toolset(["no_such"])


@pytest.mark.parametrize("tools", [None, (), ["x"], ("x",)])
def test_a_module_without_a_tuple_of_tools_is_a_spec_error(
    monkeypatch: pytest.MonkeyPatch, tools: object
) -> None:
    module = ModuleType("tb_envs.domains.odd")
    module.TOOLS = tools
    monkeypatch.setitem(sys.modules, module.__name__, module)
    with pytest.raises(SpecError, match="odd must have TOOLS, a tuple of tools; got"):
        load_toolset(["odd"])


def test_a_toolset_named_twice_is_a_spec_error() -> None:
    with pytest.raises(SpecError, match="comes twice in tickets, tickets"):
        load_toolset(["tickets", "tickets"])


def test_toolsets_are_joined_in_order() -> None:
    tickets, knowledge = load_toolset(["tickets"]), load_toolset(["knowledge"])
    assert load_toolset(["tickets", "knowledge"]) == (*tickets, *knowledge)
