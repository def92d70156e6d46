"""Stub until the embedded path works."""
from tb_envs.database.server import Server
def docker_problem() -> str | None:
    """x"""
    return "not yet"
def open_docker(*, private: bool = False) -> Server:
    """x"""
    raise NotImplementedError
