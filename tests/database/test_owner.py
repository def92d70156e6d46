"""The owner's session is wiped between episodes and works on."""

from tb_envs.database import DatabasePool


def test_the_owners_queries_survive_many_episodes_on_one_database(tiny_pool: DatabasePool) -> None:
    for _ in range(60):
        database = tiny_pool.acquire(timeout_s=60)
        row = database.owner.execute("SELECT count(*) AS n FROM guests").fetchone()
        assert row == {"n": 3}
        database.close()
