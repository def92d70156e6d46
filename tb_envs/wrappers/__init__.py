"""Wrappers that change how an agent acts (raw model text, a discrete menu) or what it earns."""

from tb_envs.wrappers.check_share import CheckShare
from tb_envs.wrappers.menu_action import MenuAction
from tb_envs.wrappers.text_action import TextAction

__all__ = ["CheckShare", "MenuAction", "TextAction"]
