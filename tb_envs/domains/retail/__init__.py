"""The retail domain's tools: the shop's own, and those of the shared ones that its desk has."""

from tb_envs.domains import approvals, customers, knowledge, notifications, tickets
from tb_envs.domains.codes import list_codes
from tb_envs.domains.retail import aftersales, catalog, money, orders, parcels

TOOLS = (
    customers.find_customers,
    customers.get_customer,
    customers.verify_identity,
    tickets.find_tickets,
    tickets.get_ticket,
    tickets.add_ticket_comment,
    tickets.hold_ticket,
    tickets.assign_ticket,
    tickets.solve_ticket,
    *orders.TOOLS,
    *parcels.TOOLS,
    *aftersales.TOOLS,
    *money.TOOLS,
    *catalog.TOOLS,
    approvals.find_approvals,
    approvals.get_approval,
    approvals.request_approval,
    *knowledge.TOOLS,
    list_codes,
    notifications.send_notification,
)
