"""PostgreSQL, fresh for each episode.

``open_pool`` gives a pool for a domain; ``acquire`` lends an ``EpisodeDatabase``, and its ``close``
gives it back. Behind it: a server (docker, embedded or a given address), one template database a
domain, clones that are recycled once they are proven equal to it, and a log of every changed row.
"""

from tb_envs.database.checks import CheckAnswer
from tb_envs.database.episode_database import EpisodeDatabase
from tb_envs.database.failures import database_boundary, is_infrastructure
from tb_envs.database.limits import SessionLimits
from tb_envs.database.opening import close_pools, open_pool
from tb_envs.database.pool import DatabasePool

__all__ = [
    "CheckAnswer",
    "DatabasePool",
    "EpisodeDatabase",
    "SessionLimits",
    "close_pools",
    "database_boundary",
    "is_infrastructure",
    "open_pool",
]
