"""The telecom tools: the provider's own, and those of the shared ones that its desk has."""

from tb_envs.domains import approvals, customers, knowledge, notifications, tickets
from tb_envs.domains.telecom import accounts, billing, lines, numbers, premises

TOOLS = (
    customers.find_customers,
    customers.verify_identity,
    tickets.find_tickets,
    tickets.get_ticket,
    tickets.add_ticket_comment,
    tickets.hold_ticket,
    tickets.assign_ticket,
    tickets.solve_ticket,
    *accounts.TOOLS,
    *lines.TOOLS,
    *numbers.TOOLS,
    *billing.TOOLS,
    *premises.TOOLS,
    approvals.find_approvals,
    approvals.request_approval,
    *knowledge.TOOLS,
    notifications.send_notification,
)
