"""The consulting domain's tools: the company's own, and the shared ones that its desk has."""

from tb_envs.domains import approvals, knowledge, notifications, tickets
from tb_envs.domains.codes import list_codes
from tb_envs.domains.consulting import (
    access,
    accounts,
    devices,
    leave,
    money,
    people,
    software,
    staffing,
)

TOOLS = (
    *people.TOOLS,
    tickets.find_tickets,
    tickets.get_ticket,
    tickets.add_ticket_comment,
    tickets.hold_ticket,
    tickets.assign_ticket,
    tickets.solve_ticket,
    *accounts.TOOLS,
    *access.TOOLS,
    *software.TOOLS,
    *devices.TOOLS,
    *staffing.TOOLS,
    *leave.TOOLS,
    *money.TOOLS,
    approvals.find_approvals,
    approvals.get_approval,
    approvals.request_approval,
    *knowledge.TOOLS,
    list_codes,
    notifications.send_notification,
)
