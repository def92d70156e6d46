"""The property domain's tools: the manager's own, and the shared ones that the desk has."""

from tb_envs.domains import approvals, customers, knowledge, notifications, tickets
from tb_envs.domains.property import homes, leases, money, repairs

TOOLS = (
    customers.find_customers,
    customers.verify_identity,
    tickets.find_tickets,
    tickets.add_ticket_comment,
    tickets.hold_ticket,
    tickets.assign_ticket,
    tickets.solve_ticket,
    *leases.TOOLS,
    *money.TOOLS,
    *repairs.TOOLS,
    *homes.TOOLS,
    approvals.find_approvals,
    approvals.request_approval,
    knowledge.search_knowledge,
    notifications.send_notification,
)
