"""The travel domain's own tools: hotels, bookings, payments, companies and groups."""

from tb_envs.domains.travel import accounts, bookings, changes, groups, hotels, payments

TOOLS = (
    *hotels.TOOLS,
    *bookings.TOOLS,
    *changes.TOOLS,
    *payments.TOOLS,
    *accounts.TOOLS,
    *groups.TOOLS,
)
