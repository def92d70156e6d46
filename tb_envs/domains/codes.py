"""The codes that records are marked with. Needs `codes.sql`."""

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def list_codes(db: Db, kind: str | None = None) -> list[Row]:
    """List the codes that records are marked with, and what they mean.

    Args:
        kind: The letters before the first dash, such as HOLD or RES; every kind if left out.
    """
    found = db.all(
        "SELECT code, description FROM codes"
        " WHERE %(kind)s::text IS NULL OR kind = upper(rtrim(%(kind)s, '-')) ORDER BY code",
        kind=kind,
    )
    if not found:
        kinds = db.all("SELECT DISTINCT kind FROM codes ORDER BY kind")
        raise ToolRefusal(
            f"There are no codes of the kind {kind}; the kinds are "
            f"{', '.join(str(row['kind']) for row in kinds)}."
        )
    return found


def require_code(db: Db, code: str, kind: str) -> None:
    """Check that a code exists and is of a kind.

    Raises:
        ToolRefusal: it does not; the message names the codes that there are.
    """
    known = db.all(
        "SELECT code FROM codes WHERE kind = %(kind)s ORDER BY code",
        kind=kind,
    )
    codes = [str(row["code"]) for row in known]
    if code not in codes:
        raise ToolRefusal(f"{code} is not a {kind} code; expected one of {', '.join(codes)}.")


TOOLS = (list_codes,)
