"""The neobank domain's tools: the bank's own, and those of the shared ones that its desk has."""

from tb_envs.domains import approvals, customers, knowledge, notifications, tickets
from tb_envs.domains.codes import list_codes
from tb_envs.domains.neobank import accounts, cards, cases, disputes, payments, reviews

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
    *cards.TOOLS,
    *disputes.TOOLS,
    *payments.TOOLS,
    *reviews.TOOLS,
    *cases.TOOLS,
    approvals.find_approvals,
    approvals.get_approval,
    approvals.request_approval,
    *knowledge.TOOLS,
    list_codes,
    notifications.send_notification,
)
