"""Messages that leave the company, kept as rows. Needs `notifications.sql`."""

from typing import Annotated, Literal

from pydantic import Field

from tb_envs.domains.codes import require_code
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row

Channel = Literal["email", "sms", "app"]


@tool(writes=True)
def send_notification(
    db: Db,
    template: str,
    recipient: str,
    body: str,
    reference: str | None = None,
    channel: Channel = "email",
) -> Row:
    """Send a message. It cannot be taken back.

    Args:
        template: A MSG code.
        recipient: The e-mail address, or the telephone number for a text message.
        body: The text.
        reference: What it is about, such as a booking reference.
        channel: How it is sent.
    """
    require_code(db, template, "MSG")
    return db.require(
        "The message could not be sent.",
        "INSERT INTO notifications (template, channel, recipient, reference, body)"
        " VALUES (%(template)s, %(channel)s, %(recipient)s, %(reference)s, %(body)s)"
        " RETURNING id, template, channel, recipient, reference",
        template=template,
        channel=channel,
        recipient=recipient.lower() if channel == "email" else recipient,
        reference=reference,
        body=body,
    )


@tool
def list_notifications(
    db: Db,
    recipient: str | None = None,
    reference: str | None = None,
    limit: Annotated[int, Field(ge=1, le=25)] = 10,
) -> list[Row]:
    """List the messages that were sent, the newest first.

    Args:
        recipient: Only those to this e-mail address or telephone number.
        reference: Only those about this, such as a booking reference.
        limit: How many to return at most.
    """
    return db.all(
        "SELECT template, channel, recipient, reference, body, sent_at FROM notifications"
        " WHERE (%(recipient)s::text IS NULL OR recipient = %(recipient)s)"
        " AND (%(reference)s::text IS NULL OR reference = %(reference)s)"
        " ORDER BY sent_at DESC, id DESC LIMIT %(limit)s",
        recipient=recipient,
        reference=reference,
        limit=limit,
    )


TOOLS = (send_notification, list_notifications)
