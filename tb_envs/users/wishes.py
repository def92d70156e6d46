"""Whether the user keeps a thing or lets it go, read from the user's own words.

"Do you want to keep the car?" is no offer that a patient user takes: the answer is in what the
user said, knows or wants, or it is not known.
"""

import re
from collections.abc import Iterable

from tb_envs.users.speech_acts import content_words

_KEEPING = re.compile(
    r"\b(?:ke(?:ep|eps|eping|pt)|retain\w*|h(?:old|ang)(?:s|ing)? on to|stay(?:s|ing)?"
    r"|remain(?:s|ing)?|want(?:s|ed)? (?:the|my|your)|(?:go|goes|going) on (?:paying|with))\b",
    re.IGNORECASE,
)
_LETTING_GO = re.compile(
    r"\b(?:cancel\w*|return(?:s|ed|ing)?|(?:send|sent|sending|give|gave|given|giving|hand\w*)"
    r"(?: \w+){0,3} (?:back|up|in|over|notice)|give notice|leav(?:e|es|ing)|left"
    r"|get(?:ting)? rid of"
    r"|clos(?:e|es|ed|ing)|terminat\w+|surrender\w*|sell|sold|scrap|drop|swap|exchange|remove"
    r"|delete|(?:is|are) yours|mov(?:e|ing) out|(?:money|euros?|pounds?) back|refund)\b",
    re.IGNORECASE,
)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|nor|without|no(?!,)|instead of|rather than)|n't|\bmind about)"
    r"(?:\s+\w+){0,3}\s+\Z",
    re.IGNORECASE,
)
_CONDITION = re.compile(r"\b(?:if|unless|when|otherwise|only|as long as|until)\b", re.IGNORECASE)
_POINTS_BACK = re.compile(r"\s+(?:it|them|both)\b", re.IGNORECASE)
_OBJECT_END = re.compile(
    r"[,.;?!]|\b(?:and|or|if|until|till|for|after|instead|as|from|when|with|at|on|in|once)\b",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+")


def keeps(sentence: str) -> bool | None:
    """Return whether a sentence keeps something (True) or lets it go (False); None for neither."""
    for pattern, kept in ((_KEEPING, True), (_LETTING_GO, False)):
        if verb := pattern.search(sentence):
            return kept is not bool(_NEGATED.search(sentence[: verb.start()]))
    return None


def words_on(question: str, own: Iterable[str]) -> str:
    """Return what the user said of keeping the thing that a question is about, or nothing.

    Args:
        question: "Do you want to keep the car?"
        own: What the user may say, the most telling first: each is one fact or one sentence.
    """
    return next((text for text in own if keeps(text) is not None and _same(question, text)), "")


def wants(question: str, private_context: str) -> bool | None:
    """Return whether the user wants to keep the thing that a question is about.

    None: the private context does not say, or only under a condition.
    """
    for sentence in sentences(private_context):
        kept = keeps(sentence)
        if kept is not None and not _CONDITION.search(sentence) and _same(question, sentence):
            return kept
    return None


def lets_go_of_something(texts: Iterable[str]) -> bool:
    """Say whether the user speaks of letting go of anything at all."""
    return any(_LETTING_GO.search(text) for text in texts)


def sentences(text: str) -> list[str]:
    """Split what a user says or knows into sentences."""
    return [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]


def _object(question: str) -> set[str]:
    """Return the words for what a question would keep or let go."""
    for pattern in (_KEEPING, _LETTING_GO):
        if verb := pattern.search(question):
            return _things(_OBJECT_END.split(question[verb.end() :])[0])
    return _things(question)


def _same(question: str, text: str) -> bool:
    """Say whether two sentences speak of the same thing, by its name or as "it"."""
    asked, told = _object(question), _things(text)
    if asked & told or not (asked and told):
        return True
    verbs = (verb for pattern in (_KEEPING, _LETTING_GO) for verb in pattern.finditer(text))
    points_back = any(_POINTS_BACK.match(text, verb.end()) for verb in verbs)
    return points_back or bool(_verbs(question) & _verbs(text))


def _things(sentence: str) -> set[str]:
    return content_words(_LETTING_GO.sub(" ", _KEEPING.sub(" ", sentence))) - {"still", "instea"}


def _verbs(sentence: str) -> set[str]:
    return {verb.group().lower()[:4] for verb in _LETTING_GO.finditer(sentence)}
