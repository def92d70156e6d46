"""The parcel carrier's tools: its own, and those of the shared ones that its desk has."""

from tb_envs.domains import approvals, customers, knowledge, notifications, tickets
from tb_envs.domains.codes import list_codes
from tb_envs.domains.logistics import claims, contracts, customs, delivery, shipments

TOOLS = (
    customers.find_customers,
    customers.verify_identity,
    tickets.find_tickets,
    tickets.add_ticket_comment,
    tickets.hold_ticket,
    tickets.assign_ticket,
    tickets.solve_ticket,
    *shipments.TOOLS,
    *delivery.TOOLS,
    *customs.TOOLS,
    *claims.TOOLS,
    *contracts.TOOLS,
    approvals.find_approvals,
    approvals.request_approval,
    knowledge.search_knowledge,
    list_codes,
    notifications.send_notification,
)
