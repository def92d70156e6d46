"""The insurance domain's tools: the insurer's own, and the shared ones that its desk has."""

from tb_envs.domains import approvals, customers, knowledge, tickets
from tb_envs.domains.codes import list_codes
from tb_envs.domains.insurance import billing, changes, claim_money, claims, policies, rentals

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
    *policies.TOOLS,
    *changes.TOOLS,
    *billing.TOOLS,
    *claims.TOOLS,
    *claim_money.TOOLS,
    *rentals.TOOLS,
    approvals.find_approvals,
    approvals.get_approval,
    approvals.request_approval,
    *knowledge.TOOLS,
    list_codes,
)
