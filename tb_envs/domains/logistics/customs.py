"""Customs entries: papers that are missing, and who pays the duties."""

from typing import Literal

from tb_envs.errors import ToolRefusal
from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool(writes=True)
def submit_customs_paper(db: Db, entry_id: str, document_id: str) -> Row:
    """Hand a paper that is on file to customs.

    Args:
        entry_id: The customs entry, such as CEN-510.
        document_id: The document of the same shipment, such as DCM-701.
    """
    entry = db.require(
        f"There is no customs entry {entry_id}.",
        "SELECT status, shipment_id FROM customs_entries WHERE id = %(id)s FOR UPDATE",
        id=entry_id,
    )
    if entry["status"] != "waiting_papers":
        raise ToolRefusal(f"{entry_id} is {entry['status']}; it waits for no papers.")
    db.require(
        f"{document_id} is no document of {entry['shipment_id']}.",
        "SELECT id FROM documents WHERE id = %(document)s AND shipment_id = %(shipment)s",
        document=document_id,
        shipment=entry["shipment_id"],
    )
    return db.require(
        "The paper could not be handed over.",
        "UPDATE customs_entries SET status = 'submitted', missing_paper = NULL,"
        " submitted_document = %(document)s WHERE id = %(id)s"
        " RETURNING id, shipment_id, status, submitted_document",
        id=entry_id,
        document=document_id,
    )


@tool(writes=True)
def set_duty_payer(db: Db, entry_id: str, payer: Literal["shipper", "consignee"]) -> Row:
    """Bill duties, tax and handling of a customs entry to the other party.

    Args:
        entry_id: The customs entry, such as CEN-510.
        payer: Who is billed from now on.
    """
    return db.require(
        f"There is no customs entry {entry_id}.",
        "UPDATE customs_entries SET billed_to = %(payer)s::duty_payer WHERE id = %(id)s"
        " RETURNING id, shipment_id, terms, billed_to, duties, handling_fee",
        id=entry_id,
        payer=payer,
    )


TOOLS = (submit_customs_paper, set_duty_payer)
