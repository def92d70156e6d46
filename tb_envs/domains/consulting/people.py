"""The people of the company: who somebody is, whom they report to, and what they are called."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

_ACCENTED = "ÀÁÂÃÄÅĄÇĆČÈÉÊËĘÌÍÎÏİÑŃÒÓÔÕÖØÙÚÛÜÝŚŞŠŹŻŽŁĞàáâãäåąçćčèéêëęìíîïıñńòóôõöøùúûüýÿśşšźżžłğ"
_PLAIN = "AAAAAAACCCEEEEEIIIIINNOOOOOOUUUUYSSSZZZLGaaaaaaaccceeeeeiiiiinnoooooouuuuyyssszzzlg"

IdentityMethod = Literal["date_of_birth", "postal_code", "phone"]
EmployeeStatus = Literal["starting", "active", "notice", "on_leave", "left"]


@tool
def find_employees(
    db: Db,
    name: str | None = None,
    email: str | None = None,
    manager_id: str | None = None,
    status: EmployeeStatus | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """Find employees. Give at least one criterion; all that are given must match.

    Several people can have the same or a similar name. Accents and letter case do not count.

    Args:
        name: The full name or a part of it.
        email: The whole work e-mail address; an earlier address of the person finds them too.
        manager_id: Only those who report to this employee.
        status: Only those with this status.
        limit: How many to return at most.
    """
    if name is None and email is None and manager_id is None and status is None:
        raise ToolRefusal("Give at least one of name, email, manager_id and status.")
    return db.all(
        "SELECT employees.id, full_name, email, grade, practice, office, employees.status,"
        " manager_id FROM employees JOIN customers USING (id)"
        " WHERE (%(name)s::text IS NULL OR strpos("
        "  lower(translate(full_name, %(accented)s, %(plain)s)),"
        "  lower(translate(%(name)s, %(accented)s, %(plain)s))) > 0)"
        " AND (%(email)s::text IS NULL OR lower(%(email)s) IN (email, email_alias))"
        " AND (%(manager_id)s::text IS NULL OR manager_id = %(manager_id)s)"
        " AND (%(status)s::text IS NULL OR employees.status = %(status)s::employee_status)"
        " ORDER BY employees.id LIMIT %(limit)s",
        name=name,
        email=email,
        manager_id=manager_id,
        status=status,
        limit=limit,
        accented=_ACCENTED,
        plain=_PLAIN,
    )


@tool
def get_employee(db: Db, employee_id: str) -> Row:
    """Show an employee with line manager, contracts and account, and today's date.

    What a person is verified by is not shown: use verify_employee.

    Args:
        employee_id: The employee number, such as EMP-1004.
    """
    employee = db.require(
        f"There is no employee {employee_id}.",
        "SELECT employees.id, customers.full_name, customers.email, email_alias, customers.phone,"
        " grade, practice, office, employees.status, last_day, company_card, carried_over_days,"
        " manager_id, boss.full_name AS manager_name, boss.email AS manager_email,"
        " clock_now()::date AS today"
        " FROM employees JOIN customers USING (id) LEFT JOIN customers AS boss"
        " ON boss.id = manager_id WHERE employees.id = %(id)s",
        id=employee_id,
    )
    employee["contracts"] = db.all(
        "SELECT id, kind, annual_leave_days, starts_on, ends_on, signed_on FROM contracts"
        " WHERE employee_id = %(id)s ORDER BY starts_on, id",
        id=employee_id,
    )
    employee["account"] = db.one(
        "SELECT username, status, lock_reason, locked_at, locks_last_30_days, last_sign_in, factor,"
        " factor_reset_on"
        " FROM accounts WHERE employee_id = %(id)s",
        id=employee_id,
    )
    return employee


@tool(writes=True)
def verify_employee(
    db: Db, ticket_id: str, employee_id: str, method: IdentityMethod, answer: str
) -> Row:
    """Compare what a person said with the personnel record, and note the result on the ticket.

    Args:
        ticket_id: The ticket on which the person is verified.
        employee_id: The employee that the person says to be.
        method: What was asked.
        answer: What the person answered; a date as YYYY-MM-DD.
    """
    db.require(
        f"There is no ticket {ticket_id}.",
        "SELECT id FROM tickets WHERE id = %(ticket_id)s",
        ticket_id=ticket_id,
    )
    known = db.require(
        f"There is no employee {employee_id}.",
        "SELECT date_of_birth::text AS date_of_birth, postal_code, phone"
        " FROM customers WHERE id = %(id)s",
        id=employee_id,
    )
    return db.require(
        "The check could not be noted.",
        "INSERT INTO identity_checks (ticket_id, customer_id, method, passed)"
        " VALUES (%(ticket_id)s, %(id)s, %(method)s, %(passed)s)"
        " RETURNING ticket_id, customer_id AS employee_id, method, passed",
        ticket_id=ticket_id,
        id=employee_id,
        method=method,
        passed=_plain(str(known[method])) == _plain(answer),
    )


@tool(writes=True)
def change_name(
    db: Db, employee_id: str, full_name: str, email: str, approval_id: str | None = None
) -> Row:
    """Change a name and the work e-mail address; the old address becomes the alias.

    Args:
        employee_id: The employee number, such as EMP-1004.
        full_name: The whole new name.
        email: The new work e-mail address; the present one keeps it.
        approval_id: The approval that covers it, such as APR-2107.
    """
    _require_approval(db, approval_id)
    old = db.require(
        f"There is no employee {employee_id}.",
        "SELECT email FROM customers WHERE id = %(id)s FOR UPDATE",
        id=employee_id,
    )
    if db.one(
        "SELECT id FROM employees JOIN customers USING (id)"
        " WHERE lower(%(email)s) IN (email, email_alias) AND id <> %(id)s",
        email=email,
        id=employee_id,
    ):
        raise ToolRefusal(f"{email} belongs to somebody else; choose another address.")
    db.execute(
        "UPDATE customers SET full_name = %(name)s, email = lower(%(email)s),"
        " updated_at = clock_now() WHERE id = %(id)s",
        name=full_name,
        email=email,
        id=employee_id,
    )
    db.execute(
        "UPDATE employees SET name_approval = %(approval_id)s,"
        " email_alias = CASE WHEN %(old)s = lower(%(email)s) THEN email_alias ELSE %(old)s END"
        " WHERE id = %(id)s",
        approval_id=approval_id,
        old=old["email"],
        email=email,
        id=employee_id,
    )
    return db.require(
        f"There is no employee {employee_id}.",
        "SELECT id, full_name, email, email_alias FROM employees JOIN customers USING (id)"
        " WHERE id = %(id)s",
        id=employee_id,
    )


@tool(writes=True)
def change_manager(
    db: Db, employee_id: str, manager_id: str, approval_id: str | None = None
) -> Row:
    """Let an employee report to another line manager.

    Args:
        employee_id: The employee number, such as EMP-1004.
        manager_id: The new line manager's employee number.
        approval_id: The approval that covers it, such as APR-2107.
    """
    _require_approval(db, approval_id)
    db.require(
        f"There is no employee {manager_id}.",
        "SELECT id FROM employees WHERE id = %(id)s",
        id=manager_id,
    )
    return db.require(
        f"There is no employee {employee_id}.",
        "UPDATE employees SET manager_id = %(manager_id)s, manager_approval = %(approval_id)s"
        " WHERE id = %(id)s RETURNING id, manager_id, manager_approval",
        id=employee_id,
        manager_id=manager_id,
        approval_id=approval_id,
    )


def _require_approval(db: Db, approval_id: str | None) -> None:
    if approval_id is not None:
        db.require(
            f"There is no approval request {approval_id}.",
            "SELECT id FROM approval_requests WHERE id = %(id)s",
            id=approval_id,
        )


def _plain(text: str) -> str:
    """Drop what people write differently: spaces, dashes, letter case."""
    return "".join(text.split()).replace("-", "").casefold()


TOOLS = (find_employees, get_employee, verify_employee, change_name, change_manager)
