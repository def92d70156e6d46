"""Tasks on real PostgreSQL databases as Gymnasium environments.

Importing this package registers an id for every task: ``gymnasium.make("ThinkingBox/...-v0")``.
"""

from tb_envs.registration import register_envs

register_envs()

__all__: list[str] = []
