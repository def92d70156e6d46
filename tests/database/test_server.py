"""A server that has no room says so in a way that a pool can wait for."""

import psycopg
import pytest
from psycopg import sql

from tb_envs.database.choice import start_server


def test_a_full_server_is_told_from_one_that_is_gone() -> None:
    server = start_server("embedded")
    try:
        with server.admin() as admin:
            role = sql.Identifier("tb_test_full")
            admin.execute(
                sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x' CONNECTION LIMIT 0").format(role)
            )
            try:
                with pytest.raises(psycopg.errors.TooManyConnections, match="too many connections"):
                    server.connect(server.maintenance, user="tb_test_full", password="x")
            finally:
                admin.execute(sql.SQL("DROP ROLE {}").format(role))
    finally:
        server.release()
