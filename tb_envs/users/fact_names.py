"""How agents ask for facts, as data: patterns of well-known fact names.

All patterns are matched case-insensitively. A pattern that is too wide makes the user say a little
too much; one that is too narrow makes a task unsolvable. So they are wide.
"""

import re
from functools import cache

FACT_PATTERNS: dict[str, tuple[str, ...]] = {
    "full_name": (
        r"(?<!company )(?<!hotel )(?<!account )(?<!in your )(?<!in your own )\bnames?\b"
        r"(?! of (?:the|your) (?:company|hotel|manager|employer))",
        r"\bwho (?:am i|are you|is (?:this|calling|speaking))",
        r"\bwhom? (?:do i have|am i)",
        r"\bam i (?:speaking|talking|chatting) (?:to|with)\b",
        r"\bidentify yourself\b",
        r"\bverify (?:who you are|your identity)\b(?![^.?!]{0,60}\b(?:e-?mail|birth|post))",
    ),
    "email": (r"\be-?mails?\b", r"\bmail address(?:es)?\b"),
    "phone": (
        r"(?<!the )(?<!this )(?<!that )(?<!old )(?<!new )(?<!lost )(?<!company )\b(?:tele)?phone\b",
        r"\bphone (?:number|no\.|on file|you)",
        r"\b(?:mobile|cell|contact|call-?back) (?:number|no\.)",
        r"\bnumber (?:to|where|on which|at which) (?:i|we|you)\b.{0,30}\b(?:call|reach)",
    ),
    "date_of_birth": (
        r"\b(?:date of birth|birth ?dates?|birthday|d\.?o\.?b\.?)\b",
        r"\bborn\b",
        r"\b(?:day|month|year) of (?:your )?birth\b",
    ),
    "address": (
        r"(?<!mail )\baddress(?:es)?\b",
        r"\bwhere do you live\b",
        r"\bwhere (?:should|shall|do|would)\b.{0,40}\b(?:ship|deliver|send|mail|post)\b",
    ),
    "zip_code": (r"\b(?:zip|postal|post)[ -]?codes?\b", r"\bpostcodes?\b"),
    "booking_reference": (
        r"\b(?:booking|reservation|confirmation|record|trip|itinerary)s?\W+(?:\w+\W+){0,2}"
        r"(?:references?|numbers?|codes?|ids?|no\.|locators?)",
        r"\b(?:reference|locator|pnr)s?\b(?: number| code)?",
        r"\b(?:number|reference|id) (?:of|for|on) (?:the|your|this|that) "
        r"(?:booking|reservation|trip|stay)",
        r"\bwhich (?:booking|reservation|trip|stay)\b",
        r"\bwhat (?:booking|reservation) (?:is|are|do|does|would)\b",
        r"\b(?:booking|reservation) details\b",
        r"\b(?:booking|reservation|trip|stay)s\b[^?]{0,300}\bwhich (?:one|of)\b",
    ),
    "order_number": (
        r"\border\W+(?:\w+\W+){0,2}(?:numbers?|ids?|no\.|references?|codes?)",
        r"\b(?:number|reference|id) (?:of|for|on) (?:the|your|this|that) (?:order|purchase)",
        r"\bwhich orders?\b",
        r"\border details\b",
        r"\b(?:order|purchase)s\b[^?]{0,300}\bwhich (?:one|of)\b",
    ),
    "policy_number": (
        r"\bpolicy\W+(?:\w+\W+){0,2}(?:numbers?|ids?|no\.|references?)",
        r"\b(?:number|id) (?:of|for|on) (?:the|your|this|that) policy",
        r"\bwhich policy\b",
        r"\bpolicies\b[^?]{0,300}\bwhich (?:one|of)\b",
    ),
    "claim_number": (
        r"\bclaim\W+(?:\w+\W+){0,2}(?:numbers?|ids?|no\.|references?)",
        r"\b(?:number|reference|id) (?:of|for|on) (?:the|your|this|that) claim",
        r"\bwhich claim\b",
    ),
    "account_number": (
        r"\baccount\W+(?:\w+\W+){0,2}(?:numbers?|ids?|no\.)",
        r"\b(?:number|id) (?:of|for|on) (?:the|your|this|that) account",
        r"\bwhich account\b",
        r"\baccounts\b[^?]{0,300}\bwhich (?:one|of)\b",
        r"\biban\b",
    ),
    "customer_id": (
        r"\b(?:customer|client|member(?:ship)?|loyalty|user)\W+(?:\w+\W+){0,2}"
        r"(?:numbers?|ids?|no\.)",
    ),
    "employee_id": (
        r"\b(?:employee|staff|personnel|badge|worker)\W+(?:\w+\W+){0,2}(?:ids?|numbers?|no\.)",
        r"\byour (?:employee|staff) (?:record|profile)",
    ),
    "ticket_number": (
        r"\b(?:ticket|case|incident|request)\W+(?:\w+\W+){0,1}(?:ids?|numbers?|no\.|references?)",
        r"\bwhich (?:ticket|case|incident)\b",
    ),
    "card_last_four": (
        r"\b(?:last|final) (?:four|4)\b",
        r"\b(?:card|account) ending\b",
        r"\bcard (?:number|digits|details)\b",
        r"\bwhich (?:\w+ and )?card\b",
    ),
    "payment_method": (
        r"\bpayment (?:method|option|card)",
        r"\bhow (?:did|do|would|will) you (?:like to )?pa(?:y|id)\b",
        r"\b(?:did|have) you (?:pay|paid)\b[^.?!]{0,25}\b(?:by|with|in)"
        r" (?:card|cash|bank|transfer)\b",
        r"\b(?:refund|money|amount)\b.{0,40}\bwhere\b",
        r"\bwhere (?:should|shall|do|would)\b.{0,40}\b(?:refund|money)\b",
        r"\bhow (?:should|shall|do|would)\b.{0,40}\b(?:refund|money|repaid|paid back)\b",
        r"\boriginal (?:payment|form of payment|card)",
    ),
    "amount": (
        r"\bhow much\b",
        r"\bamounts?\b",
        r"\bwhat(?:'s| is| was| were)? (?:the |your )?(?:\w+ )?(?:value|sum|price|cost|rate"
        r"|difference)\b",
    ),
    "company": (
        r"\b(?:company|employer|organi[sz]ation|corporation|firm|business account)\b",
        r"\bwho (?:do )?you work for\b",
        r"\bcorporate (?:account|client)\b",
    ),
    "department": (r"\bdepartments?\b", r"\b(?:which|what) team\b"),
    "manager": (r"\b(?:manager|supervisor|line manager|boss)\b", r"\bwho do you report to\b"),
    "vehicle": (r"\b(?:vehicle|car|make and model|licen[sc]e plate|registration number|vin)\b",),
    "dates": (
        r"(?<!birth )\bdates?\b(?! of birth)",
        r"\bwhen (?:are|is|do|does|did|was|were|will|would|should|shall)\b",
        r"\bwhich (?:day|night|week)s?\b",
    ),
    "room_type": (
        r"\b(?:room|suite) (?:type|category|class|kind)",
        r"\b(?:which|what|type of|kind of) rooms?\b",
    ),
    "hotel": (r"\b(?:which|what|name of the|and the) hotel\b", r"\bhotel(?:'s)? name\b"),
    "purpose": (
        r"\bpurpose\b",
        r"\b(?:business|work|leisure|private|personal|vacation) (?:trip|travel|stay|booking)",
        r"\b(?:stay|trip|booking|visit) for (?:business|work|leisure|pleasure)\b",
        r"\b(?:business|work) or (?:leisure|pleasure|personal|private)\b",
        r"\b(?:leisure|pleasure|personal) or (?:business|work)\b",
    ),
    "reason": (
        r"\breasons?\b",
        r"\bwhy\b|\bhow come\b",
        r"\bwhat (?:happened|went wrong|made you|prompted|caused|led)\b",
        r"\bwhat (?:makes you|has changed|changed)\b|\bon what grounds\b",
        r"\bhow did (?:it|this|that|the \w+) happen\b",
        r"\bcause of\b",
        r"\b(?:is|are) there (?:any|an) (?:particular|specific|urgent|emergency)\b",
        r"\bpurpose of (?:the|your|this) (?:change|request|cancellation|return)",
    ),
    "preference": (
        r"\bprefer(?:s|red|ence|ences)?\b",
        r"\bwould you (?:rather|like)\b[^.?!]{0,80}\bor\b",
        r"\b(?:which|what) (?:option|alternative|choice)s?\b",
        r"\bhow would you like\b",
    ),
    "quantity": (
        r"\bhow many\b",
        r"\b(?:which|what) (?:items|articles|pieces|goods)\b",
        r"\bquantity\b",
        r"\bnumber of (?!the)\w+",
    ),
    "security_answer": (
        r"\bsecurity (?:question|answer|code|word|phrase)",
        r"\b(?:passphrase|pin)\b",
        r"\bverification code\b",
        r"\bone-time (?:code|passcode)\b",
    ),
}
ALIASES = {
    "name": "full_name",
    "customer_name": "full_name",
    "email_address": "email",
    "phone_number": "phone",
    "birth_date": "date_of_birth",
    "home_address": "address",
    "postal_code": "zip_code",
    "booking": "booking_reference",
    "reservation_number": "booking_reference",
    "confirmation_number": "booking_reference",
    "booking_id": "booking_reference",
    "order_id": "order_number",
    "policy_id": "policy_number",
    "claim_id": "claim_number",
    "account_id": "account_number",
    "member_id": "customer_id",
    "customer_number": "customer_id",
    "employee_number": "employee_id",
    "case_number": "ticket_number",
    "employer": "company",
    "company_name": "company",
    "manager_name": "manager",
    "travel_dates": "dates",
    "why": "reason",
    "trip_purpose": "purpose",
    "refund_method": "payment_method",
}
CONFIRMATION = "confirmation"
PREFERENCE = "preference"


def canonical(fact_name: str) -> str:
    """Return the well-known name that a fact's name stands for, or the name itself."""
    return ALIASES.get(fact_name, fact_name)


@cache
def patterns_of(fact_name: str) -> tuple[str, ...]:
    """Return the patterns by which a fact is asked for: well-known ones, and its own words."""
    words = [re.escape(word) for word in fact_name.split("_") if word]
    gap = r"(?:'s)?\W+(?:\w+\W+){0,2}"
    own = rf"\b{gap.join(words)}s?\b"
    known = FACT_PATTERNS.get(canonical(fact_name))
    if known is None:
        # "guest_email" is an email too.
        endings = (name for name in FACT_PATTERNS if fact_name.endswith("_" + name))
        known = FACT_PATTERNS.get(max(endings, key=len, default=""), ())
    return known if fact_name in FACT_PATTERNS else (own, *known)
