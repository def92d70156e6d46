"""A server that the user already has, named by a ``postgresql://`` address."""

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tb_envs.database.server import Server
from tb_envs.errors import UsageError

OURS = frozenset({"host", "port", "user", "password", "dbname"})


def open_dsn(address: str) -> Server:
    """Describe the server at an address, and see that it can be used.

    Raises:
        UsageError: the address is not valid, the login is not a superuser's, or the server is too
            old.
        psycopg.OperationalError: nobody answers there.
    """
    parts = _parts(address)
    host, port = parts.get("host") or "localhost", int(parts.get("port") or 5432)
    server = Server(
        kind="postgresql",
        host=host,
        port=port,
        user=parts.get("user") or "postgres",
        password=parts.get("password") or "",
        maintenance=parts.get("dbname") or "postgres",
        url_host="localhost" if host.startswith("/") else host,
        url_port=port,
        ours=False,
        extra={name: value for name, value in parts.items() if name not in OURS},
    )
    with server.admin() as admin:
        if admin.info.server_version < 150000:
            version = admin.info.server_version // 10000
            raise UsageError(f"the server has PostgreSQL {version}; expected 15 or newer")
        if admin.info.parameter_status("is_superuser") != "on":
            raise UsageError(
                f"role {server.user!r} is not a superuser of the server; episode databases need "
                "one: they have roles, event triggers and an undo log of their own"
            )
    return server


def _parts(address: str) -> dict[str, str]:
    """Take an address apart; a message about it does not repeat it, for it may hold a password."""
    expected = "expected postgresql://user:password@host:port/database"
    try:
        parts = {name: str(value) for name, value in conninfo_to_dict(address).items()}
    except psycopg.ProgrammingError as error:
        problem = str(error).strip().replace(address, "...")
        raise UsageError(f"the database's address: {problem}; {expected}") from None
    port = parts.get("port") or "5432"
    if not port.isdecimal():
        raise UsageError(f"the database's address: got the port {port!r}; {expected}")
    return parts
