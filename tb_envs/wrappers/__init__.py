"""Wrappers that change how an agent acts: raw model text, or a discrete menu."""

from tb_envs.wrappers.menu_action import MenuAction
from tb_envs.wrappers.text_action import TextAction

__all__ = ["MenuAction", "TextAction"]
