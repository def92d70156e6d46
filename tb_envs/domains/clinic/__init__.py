"""The clinic domain's tools: the clinics' own, and those of the shared ones that the desk has."""

from tb_envs.domains import approvals, customers, knowledge, notifications, tickets
from tb_envs.domains.clinic import appointments, care, money, patients, schedule

TOOLS = (
    customers.find_customers,
    customers.verify_identity,
    tickets.find_tickets,
    tickets.get_ticket,
    tickets.add_ticket_comment,
    tickets.hold_ticket,
    tickets.assign_ticket,
    tickets.solve_ticket,
    *patients.TOOLS,
    *schedule.TOOLS,
    *appointments.TOOLS,
    *care.TOOLS,
    *money.TOOLS,
    approvals.find_approvals,
    approvals.request_approval,
    knowledge.search_knowledge,
    notifications.send_notification,
)
