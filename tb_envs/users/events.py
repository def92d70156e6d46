"""What a "when" is about: "When did you pay?" is not answered with the days of a stay.

An event is known by the verbs that ask for it and by the words that speak of it in what the user
knows. Only questions for what has been are told apart: "When can you come?" and "When did it
start?" fit every date.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product

_ASKED_AND_TOLD: dict[str, tuple[str, str]] = {
    "birth": (r"born|birth", r"born|birth"),
    "purchase": (
        r"(?:did|have|had) you (?!want|wish|like)(?:\w+ )?(?:book|reserve|order|buy|bought"
        r"|purchase)"
        r"|(?:was|were|been) (?:it|that|this|\w+ \w+|\w+) (?:booked|reserved|ordered|bought"
        r"|purchased)|(?:was|were|been) (?:booked|reserved|ordered|bought|purchased)(?! for)"
        r"|(?:make|made|plac\w+) (?:the|your|this|that) (?:\w+ )?(?:booking|reservation|order)"
        r"|(?:booking|reservation|order) (?:was |been )?(?:made|placed)|of purchase|purchase date"
        r"|order date|booking date",
        r"(?:booked|bought|ordered|reserved|purchased?)(?!.* for\b)",
    ),
    "payment": (
        r"pay|paid|payments?|charged?|debited|transfer(?:red)?|deducted|withdr\w+",
        r"pa(?:y|id|yments?|ys)|charge[ds]?|debited|transfer\w*|rent|money|euros?|pounds|dollars"
        r"|sent|went out|instal\w+|refund\w*|fee|salary|payday",
    ),
    "delivery": (
        r"receiv\w+|deliver\w*|ship(?:ped)?|arrive at (?:your|the) (?:home|door)|parcel arrive"
        r"|send|sent|post(?:ed)?|return(?:ed)?|hand(?:ed)? (?:it |them )?(?:in|over|back)"
        r"|collect\w*|pick(?:ed)? (?:it |them )?up",
        r"receiv\w+|deliver\w*|ship\w*|arriv\w+|parcel|sent|send|post\w*|return\w*|reach\w*|hand\w*"
        r"|collect\w*|pick\w*|brought|left|got|gave|came|come|on its way",
    ),
    "sale": (r"sell|sold", r"sell|sold|sale"),
    "signing": (r"sign(?:ed)?", r"sign\w*"),
    "joining": (
        r"join(?:ed)?|hired|bec[ao]me|open(?:ed)? (?:the|your|an) account|moved? in|registered"
        r"|enrol\w*",
        r"join\w*|start\w*|hir\w+|since|moved? in|registered|begin\w*",
    ),
    "ending": (
        r"end(?:ed)?|expired?|terminated",
        r"end\w*|until|till|to|last|expir\w+|terminat\w+",
    ),
    "contact": (
        r"contact\w*|in touch|call(?:ed)?|t(?:ell|old)|ask(?:ed)?|report(?:ed)?|wr(?:ite|ote|itten)"
        r"|sp(?:eak|oke)|promised?|complain\w*|object\w*|raise[d]?|request(?:ed)?|refer(?:red)?|notif\w+"
        r"|filed?|submit\w*|lodged?",
        r"contact\w*|call\w*|told|tell|ask\w*|report\w*|wrote|write|written|spoke|promis\w+|letter"
        r"|complain\w*|mail\w*|message|said|says|notice|claim\w*|request\w*|refer\w*|fil(?:e|ed)|submit\w*",
    ),
    "decision": (
        r"issued?|approved?|agreed?|granted|confirmed|promoted|accepted|cancel(?:l?ed)?|clos(?:e|ed)",
        r"issued?|approv\w+|agreed?|granted|confirmed|gave|got|cancel\w*|clos\w+|accept\w*",
    ),
    "damage": (
        r"break|broke|crack(?:ed)?|burst|crash(?:ed)?",
        r"br[eo]ak?e?n?|crack\w*|burst|crash\w*|scratch\w*|damage\w*|accident|hit|happen\w*|keyed",
    ),
    "illness": (
        r"(?:f[ae]ll|g[eo]t|bec[ao]me|taken|feel|felt) (?:ill|sick|unwell)|injured|hurt",
        r"ill|sick|unwell|injur\w+|hurt|hospital|fever|pain\w*",
    ),
    "death": (r"die|died|pass(?:ed)? away", r"died?|pass(?:ed)? away|death|lost"),
    "treatment": (
        r"admitted|operated|surgery|diagnosed|vaccinated|taken|drawn|tested",
        r"admitted|operat\w+|surgery|diagnos\w+|vaccin\w+|taken|drawn|tested|dose|hospital",
    ),
    "travel": (
        r"travel\w*|check(?:ed|ing)? (?:in|out)|fly|flew|stay(?:ed|ing)?",
        r"travel\w*|check\w*|fl[yie]\w*|stay\w*|trip|hotel|room|suite|night\w*|holiday|abroad|arriv\w+"
        r"|leav\w+|from|until|to",
    ),
    "move": (
        r"mov(?:e|ed|ing)(?! in\b)|relocat\w+|vacat\w+",
        r"mov\w+|leav\w+|lease|flat|tenancy|address|end|last day",
    ),
}
_ASKED = {
    event: re.compile(rf"\b(?:{asked})\b", re.IGNORECASE)
    for event, (asked, _) in _ASKED_AND_TOLD.items()
}
_TOLD = {
    event: re.compile(rf"\b(?:{told})\b", re.IGNORECASE)
    for event, (_, told) in _ASKED_AND_TOLD.items()
}
_WHEN_IT_WAS = re.compile(
    r"\b(?:when|(?:what|which) (?:day|date)|dates? of)\b[^.?!]*?"
    r"\b(?:did|was|were|have|has|had|born|birth|purchase)\b",
    re.IGNORECASE,
)
_DAY = re.compile(
    r"\d+|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|\b(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december)\b|\b(?:to|yester)day\b|\btomorrow\b"
    r"|\b(?:first|second|third|fourth|fifth|sixth)\b",
    re.IGNORECASE,
)


_TIME = re.compile(
    _DAY.pattern + r"|\b(?:ago|last|this|next|days?|weeks?|months?|years?|morning|evening|night)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"[.!?]\s+|\n+")
_CLAUSE_END = re.compile(r"[.,;:!?]\s+|\n+")


def answers_when(question: str, date: str, told: set[str]) -> bool:
    """Say whether a date may answer a question.

    Args:
        question: One clause of the agent.
        date: What the user would say.
        told: The events that the date belongs to, from ``events_told``.
    """
    asked = _events_asked(question)
    if not asked:
        return True
    if not told:
        return "birth" not in asked and _TIME.search(date) is not None
    return bool(asked & told)


def events_named(text: str) -> set[str]:
    """Return the events that a text asks for: "when did you pay" means the payment."""
    return {event for event, _ in _search_all(_ASKED, text)}


def events_told(date: str, known: Iterable[str]) -> set[str]:
    """Return the events that a date may belong to, by the clauses that name it, or sentences."""
    days = _days(date)
    numbers = {day for day in days if day.isdigit()}
    texts = list(known)
    for end, wanted in product((_CLAUSE_END, _SENTENCE_END), (numbers, days)):
        parts = (part for text in texts for part in end.split(text))
        speaking = [part for part in parts if wanted & _days(part)]
        if told := {event for event, _ in _search_all(_TOLD, date, *speaking)}:
            return told
    return set()


def _events_asked(question: str) -> set[str]:
    """Return the event that a question names first, or several that one verb may mean."""
    if _WHEN_IT_WAS.search(question) is None:
        return set()
    found = {event: verb.start() for event, verb in _search_all(_ASKED, question)}
    return {event for event, place in found.items() if place == min(found.values())}


def _search_all(
    patterns: Mapping[str, re.Pattern[str]], *texts: str
) -> Iterator[tuple[str, re.Match[str]]]:
    """Yield each event with its first match in the texts."""
    for event, pattern in patterns.items():
        if match := next(filter(None, map(pattern.search, texts)), None):
            yield event, match


def _days(text: str) -> set[str]:
    return {day.lower() for day in _DAY.findall(text)}
