"""How agents ask, offer, announce and report, as data: patterns matched case-insensitively."""

import re
from collections.abc import Sequence
from functools import cache

REQUEST_CUES = (
    r"\b(?:please|kindly)\s+(?:also |first |just )?(?:provide|share|give|send|tell|confirm|verify"
    r"|enter|supply|specify|state|include|reply|respond|answer|describe|explain|clarify|list"
    r"|let me (?:know|have)|identify|advise|indicate|choose|select|pick|check|type|submit|mention"
    r"|say)",
    r"\b(?:could|can|would|will) you\b(?! (?:be able|receive|get|see|find))",
    r"\b(?:may|can|could|might) (?:i|we) (?:have|get|ask|know|see|confirm|verify|take)\b",
    r"\b(?:i|we)(?:'ll| will|'d| would|'m going to| am going to)?\s+(?:also |just |still |first |"
    r"then |only )?(?:need|require|ask|want|like)\s+(?:(?:for|to (?:have|know|get|ask|see)) )?"
    r"(?:your?(?! patience)|the (?!\S+ approval|approval)|some|a few|more"
    r"|a bit|one more|two|both|at least|an?)\b",
    r"\b(?:i|we)(?:'ll| will)? (?:also |first )?(?:need|have|want) to "
    r"(?:verify|confirm|identify|check) (?:your?|the)\b",
    r"\b(?:i|we)(?:'ll| will|'d)? (?:also |first |just )?(?:need|require):",
    r"^\W*(?:and |then )?your [^.?!]{3,60}(?:so (?:that )?(?:i|we) can(?!'t|not| not)"
    r"|to (?:finish|complete|verify|find|start))\b",
    r"^\W*(?:and |also |then |plus )?your [^.?!]{3,60}"
    r"\b(?:if you don't mind|if i may|as well|too)\b",
    r"\blet me know (?!if|that|when|should|once|in case|anytime)",
    r"\bwhat(?:'s| is| are| was) (?:your|the)\b",
    r"^\W*(?:and |also,? |so,? |first,? |next,? )?"
    r"(?!give (?:me|us) (?:just )?(?:a|one) (?:moment|second|minute|sec)\b)"
    r"(?:tell|give|send|provide|share|confirm|specify"
    r"|enter|describe|state|verify|supply)\b",
    r"^\W*(?:and |also,? |so,? )?(?:what|which|where|who|whose|why|how) (?:is|are|was|were|do"
    r"|does|did|can|could|would|will|should|much|many|\w+ (?:is|are|would|do|did|should))\b",
    r"\b(?:i'd|i would|we'd) (?:appreciate|be grateful)\b",
    r"^(?![^\n]*\b(?:moment|second|minute|sec|hold|wait|bear|hang)\b)[^.?!\n]*,? please\W*$",
    r"\b(?:need|required|necessary)\b[^.?!]{0,40}:\W*$",
    r"\bthe following (?:details|information|questions?|items?)\b",
)
# "Are you still there?" wants a sign of life and nothing else.
ASKS_PRESENCE = (
    r"\bare you (?:still )?(?:there|here|with me|online|available)\W*\?",
    r"\bcan you (?:still )?(?:hear|read|see) (?:me|this)\b",
    r"\b(?:can|could|would) you (?:please )?(?:hold|wait|bear with me|stay on the line"
    r"|give me (?:just )?(?:a|one) (?:moment|second|minute|sec))\b",
)
ASKS_TO_SEND = (
    r"\b(?:upload|attach|scan|photograph)\b|\b(?:send|provide|share|show)\b[^.?!]{0,30}\b(?:photos?"
    r"|pictures?|images?|screenshots?|scans?|cop(?:y|ies))\b",
)
POLAR_QUESTION = (
    r"^\W*(?:(?:and|also|so|but|then|first|next|finally|thanks|thank you|sorry|okay|just to \w+"
    r"|by the way|one more (?:thing|question))\W+)*(?:is|are|was|were|am|do|does|did|have|has|had"
    r"|will|would|should|(?:can|could) (?!you\b|i\b|we\b))\b(?!.*\b(?:tell|share|provide)\b)",
)
# "Is there anything else I should know?" asks; "anything else I can do?" ends a talk.
ASKS_FOR_MORE = (
    r"\banything (?:else|more|further)\b[^.?!]*\b(?:know|add|tell|mention|share|say|explain"
    r"|note|provide|damaged|broken|stolen|missing|lost|hurt|happen(?:ed)?|wrong|affected|involved"
    r"|relevant|changed)\b",
)
OFFERS_MORE = (
    r"(?<!before )\banything (?:else|more|further)\b",
    r"\bsomething else\b",
    r"\b(?:any|have|with)\b[^.?!]{0,20}\b(?:other|further|more|additional)\b[^.?!]{0,20}"
    r"\b(?:questions?|requests?|help|assistance|concerns?|matters?|issues?)\b",
    r"\b(?:any|have) (?:questions?|concerns?)\b",
    r"\b(?:further|additional|more) (?:assistance|help)\b",
    r"\b(?:assist|help) you (?:further|any further|with anything|today with anything)\b",
    r"\belse (?:can|may|could) (?:i|we)\b|\bwhat else\b",
)
ASKS_REQUEST = (
    r"\bhow (?:can|may|could|might|shall|do) (?:i|we) (?:best )?(?:help|assist|be of|support)",
    r"\bwhat (?:can|may|could) (?:i|we) (?:do|help|assist)",
    r"\bwhat (?:brings|seems to be|do you need|do you want|are you looking for)",
    r"\bwhat (?:would|do) you (?:like|want|need)(?: me)?(?: to (?:do|change|happen))?\W*$",
    r"\bwhat(?:'s| is) (?:your|the) (?:\w+ )?(?:request|issue|problem|concern|question|matter)",
    r"\b(?:describe|explain|repeat|restate|rephrase|clarify|summari[sz]e|outline)\b",
    r"\b(?:tell|share with|give) me (?:a (?:bit|little) )?(?:more|what)\b",
    r"\bmore (?:details?|information|context)\b",
    r"\bwhat exactly\b|\bwhat kind of (?:change|help|request|issue)\b",
    r"\b(?:here|happy|glad|pleased|delighted|ready) to (?:help|assist)",
    r"\bcan i (?:help|assist) you\b",
)
ASKS_CONSENT = (
    r"\b(?:shall|should|may) (?:i|we)\s*\?",
    r"\b(?:shall|should|may) (?:i|we) (?:(?:now|then|also|just|please) )*+"
    r"(?!ask|know|get|take|see|help|assist|inquire|enquire|be|call"
    r"|have (?!(?:it|this|that|them|the \w+|your \w+) \w+(?:ed|t|n)\b))\w+",
    r"\b(?:shall|should) (?:i|we) (?:now |then |also )?ask (?:again|for an?|for the|the)\b",
    r"\b(?:shall|should|may|can|could) (?:i|we) (?:now |then |also |just |please )?(?:go ahead"
    r"|proceed|continue|do (?:so|that|this|it)|make|process|submit|file|cancel|issue|change|update"
    r"|book|create|open|escalate|send|place|apply|close|transfer|refund|move|switch|set|request"
    r"|look|check|start|finali[sz]e|complete|confirm|arrange|add|remove|put|use|forward)\b",
    r"\b(?:would you|do you|did you|you(?:'d| would)) (?:still )?(?:like|want|wish|prefer|need)"
    r"(?: for)? (?:me|us) to\b(?! know\b)",
    r"\bwould you like to (?!know|hear|see|tell|share|add|say|ask|discuss|talk|get help)\w+",
    r"\bwould you (?:accept|agree|be willing|be happy)\b",
    r",\s*(?:ok|okay|all right|alright)\s*\?",
    r"\bdo you (?:still |really )?(?:want|wish|agree|consent|accept|authori[sz]e|confirm)\b",
    r"\bare you (?:okay|ok|fine|happy|(?:absolutely |quite |really )?sure|certain|comfortable"
    r"|willing|ready|interested|agreeable|in agreement|on board)\b",
    r"\b(?:okay|ok|fine|alright|all right) (?:for (?:me|us) to|if (?:i|we)|with you|to proceed)\b",
    r"\bif you(?:'d| would)? (?:like|want|wish|agree|confirm|prefer)\b[^.?!]{0,30}"
    r"\b(?:i|we)(?:'ll| will| can| could)\b",
    r"\b(?:i|we)(?:'ll| will| can| could)\b[^.?!]{0,80}\bif you(?:'d| would)?"
    r" (?:like|want|wish|agree|confirm)\b",
    r"\blet me know (?:if|whether|should) (?:you(?:'d| would)? (?:like|want|wish|agree)"
    r"|(?:i|we) (?:should|can|may))",
    r"\b(?:reply|respond|answer|say|type|write)\b[^.?!]{0,20}[\"'(]*\b(?:yes|confirm)\b",
    r"\byour (?:explicit )?(?:go-ahead|consent|permission|confirmation|approval to proceed)\b",
    r"\((?:yes|y)\s*/\s*(?:no|n)\)",
)
_WISHES = r"(?:want|wish|like|prefer|intend|plan(?:ning)?|going|rather|hop(?:e|ing)|happy|need|be)"
_KEEP = r"(?:keep(?:ing)?|retain(?:ing)?|h(?:old|ang)(?:ing)? on to|(?<=to )(?:stay|remain))"
ASKS_TO_KEEP = (
    rf"\byou(?:'d|'ll)?\b[^.?!]{{0,40}}\b{_WISHES}\b[^.?!]{{0,25}}\b{_KEEP}\b"
    r"(?! (?:you|looking|checking|trying|an eye|(?:the|this|your) (?:ticket|case|request|chat))\b)",
    r"\bare you (?:still )?(?:keeping|retaining)\b",
    r"\b(?:do|would) you still (?:want|like|need|wish)(?: to (?:have|receive|get|use|keep))?"
    r" (?:the|your|it|this|that|them|these|those|all|both|any|an?)\b",
)
ASKS_TO_LET_GO = (
    r"\b(?:do|would|did|are) you (?:still )?(?:want|wish|like|prefer|intend|plan(?:ning)?|rather"
    r"|mean)(?: to)? (?:cancel|return|send (?:it|them|the \w+) back|give (?:it|them|the \w+|notice)"
    r"|give up|leave|get rid of|let go|close|terminate|end|surrender|hand|sell|drop|move out)\b",
)
ASKS_ACCEPTANCE = (
    r"\b(?:is|are|would|does|do|will) (?:that|this|it|these|those)(?: be| sound)?"
    r" (?:okay|ok|fine|good|acceptable|all right|alright|suitable|work|suit)\b[^.?!]*\?",
)
ASKS_AGREEMENT = (
    r"\b(?:is|are|was|does|do|did|have) (?:that|this|it|these|those|everything|the above|all"
    r"|i)\b[^.?!]{0,40}\b(?:correct|right|okay|ok|fine|acceptable|accurate|good|work|suit|sense"
    r"|sound|understand(?:ing)?)\b",
    r"\b(?:correct|right|okay|ok|alright|yes|fine)\W*\?",
    r"\b(?:is|are|would|will|does|do)\b[^.?!]{1,60}\b(?:acceptable|suitable|convenient|be all right"
    r"|(?:work|suit|do) (?:for )?you)\b[^.?!]{0,20}\?",
    r"\b(?:confirm|verify)\b(?! (?:whether|if)\b)",
    r"\bdo you understand\b|\bunderstood\b\W*\?",
    r"\b(?:sounds?|looks?) (?:good|right|okay|fine)\b",
)
PLANS = (
    r"\b(?:i'll|i will|let me|let us|i'm going to|i am going to|allow me to|i shall|i plan to"
    r"|i'm (?:now |currently )?(?:check|look|process|work|pull|review|search|verify|retriev)ing"
    r"|i am (?:now |currently )?(?:check|look|process|work|pull|review|search|verify|retriev)ing)"
    r"(?:\s+(?:now|then|also|just|quickly|next|first|immediately|go ahead and|please|be))*\s+"
    r"(?!let you|get back|follow(?:ing)? up|keep you|contact|notify|updat(?:e|ing) you|in touch"
    r"|reach out|happy|glad|here\b|inform|not\b|unable|able|need|have to|never|email you|write you"
    r"|keep (?!looking|checking|searching|trying)|leave\b"
    r"|reply|close (?:this|the|your) (?:chat|conversation|ticket|case|request)|know\b|sure"
    r"|summari[sz]e|explain|be\b)\w+",
    r"\b(?:one|a|just a|please hold(?: on)?(?: for)? a) (?:moment|second|minute|sec)\b"
    r"(?!\s+(?!please|while|and|to|for|as|so|until)\w)",
    r"\b(?:please (?:wait(?! (?:for|until) (?:the|their|a|its) )|hold|stand by"
    r"|bear with me)|hold on(?! (?:your|the|this|that|it)\b)"
    r"|bear with me|hang on)\b",
    r"\bworking on (?:it|this|that)\b",
    r"\b(?:i|we)\b[^.?!]*\b(?:right away|momentarily|straight away)\b",
    r"\b(?:i|we)\b[^.?!]{0,60}(?<!you )(?<!them )(?<!decision )\bshortly\b",
    r"\bbefore (?:i|we) (?:can )?(?:do|proceed|go|make)\b",
)
_ACTED = (
    r"(?:cancel+ed|refunded|submitted|filed|created|opened|updated|changed|placed|booked|rebooked"
    r"|upgraded|downgraded|moved|switched|modified|adjusted|approved|denied|declined|rejected"
    r"|refused|escalated|transferred|forwarded|processed|issued|sent|completed|done|resolved"
    r"|closed|requested|registered|logged|recorded|added|removed|waived|credited|charged"
    r"|scheduled|rescheduled|arranged|applied|extended|renewed|reactivated|blocked|locked|unlocked"
    r"|reset|assigned|granted|revoked|replaced|returned|exchanged|shipped|reported|accepted"
    r"|given|put|set|raised|flagged|corrected|fixed|amended|paid|stopped|lowered|excluded"
    r"|taken|reopened|released|ordered|disputed"
    r"|initiated|let|settled|lifted|handed|passed|asked|notified|informed|secured|made|finali[sz]ed|reversed)"
)
REPORTS_DONE = (
    r"\b(?:i've|i have|we've|we have|has been|have been|i|we|had)\s+(?:\w+ly\s+|now\s+|also\s+"
    rf"|already\s+|just\s+|then\s+|all\s+|been\s+){{0,3}}{_ACTED}\b",
    r"\b(?:is|are|was|were)\s+(?:now\s+|successfully\s+|already\s+|all\s+|fully\s+){0,2}"
    r"(?:cancel+ed|refunded|declined|rejected|denied|submitted|filed|escalated|forwarded|completed?"
    r"|processed|resolved|closed|updated|changed|corrected|sent|ordered|blocked|released|reopened"
    r"|stopped|done|in place|set|on hold|pending"
    r"|under review"
    r"|waiting|awaiting|with (?:your|the|our|another|an?) \w+)\b",
    rf"\b(?:is|are) now {_ACTED}\b",
    rf"\b(?:had|has|have) to be {_ACTED}\b",
    r"(?:^\W*|[,;:]\s+|\band )(?:cancel+ed|refunded|changed|booked|declined|rejected|refused|denied"
    r"|escalated|filed) (?:the|your|it|both|all|only)\b",
    rf"^\W*{_ACTED}[,:]|\b(?:remains?|stays?) (?:on hold|open|closed|blocked|barred)\b",
    r"\b(?:was|were) already (?:paid|refunded|credited|settled)\b|\b(?:have|has)(?:n't| not)"
    r" (?:been )?(?:changed?|touched|altered|activated|added|moved)\b",
    r"\b(?:have|had) to leave it\b|\bon (?:its|their) way to you\b",
    r"\bwill (?:be in touch\b|(?:contact|call|e-?mail|write to|get back to) you\b)",
    r"\b(?:i'll|i will|we'll|we will) (?:leave|keep (?!looking|checking|searching|trying))\b",
    r"\b(?:all set|all done|taken care of|success(?:ful(?:ly)?)?|completed|that is everything"
    r"|that's everything|nothing (?:more|further|else))\b",
    r"^\W*done\b",
    r"\b(?:i'll|i will|i am going to|i'm going to) (?:now )?close (?:this|the|your) (?:case|ticket"
    r"|chat|conversation|request)\b",
    r"\b(?:take care|good-?bye|have a (?:great|nice|good|lovely|pleasant|wonderful) (?:day|evening"
    r"|weekend|night|one))\b",
    r"\b(?:stays?|remains?|(?:was|is|were|are) left) (?:as (?:it|they) (?:is|are|was|were)"
    r"|unchanged|untouched|where it is)\b",
    r"\b(?:transferring|connecting|handing|passing) (?:you|this|it|your (?:case|request))\b",
    r"\byou(?:'ll| will)? (?:receive|hear|get|see|be (?:notified|contacted|refunded|informed))\b",
)
REPORTS_REFUSAL = (
    r"\b(?:cannot|can't|can not|couldn't|could not|unable to|not able to|won't|will not"
    r"|not going to)\b(?! (?:find|locate|see|verify|access|retrieve|identify))",
    r"\b(?:i|we) can do nothing\b|\bnothing (?:that )?(?:i|we) can do\b",
    r"\b(?:is|are|it's|isn't|aren't)\b[^.?!]{0,15}\b(?:not|n't)?\s*(?:impossible|not possible"
    r"|not (?:allowed|permitted|eligible|authori[sz]ed|refundable|available|covered|something))\b",
    r"\bisn't (?:possible|allowed|permitted|eligible|refundable|available|covered|something)\b",
    r"\b(?:against|under|per|according to)\b[^.?!]{0,20}\bpolic(?:y|ies)\b",
    r"\bpolic(?:y|ies) (?:do(?:es)?(?: not|n't)|prohibits?|forbids?|requires?|says?|states?)\b",
    r"\b(?:requires?|needs?|must have|without)\b[^.?!]{0,50}\b(?:approval|authori[sz]ation"
    r"|sign-off|consent)\b",
    r"\b(?:have to|must) (?:decline|refuse|deny)\b",
    r"\b(?:do not|don't|does not|doesn't) (?:allow|permit)\b",
    r"\bno (?:refund|change|exception)s?\b",
    r"\bi (?:do )?(?:understand|hear|see|know)\b[^.?!]{0,60}\bbut\b",
    r"\byou(?:'ll| will| would)? (?:need|have) to (?:contact|ask|call|get|obtain|speak|reach)\b",
    r"\bplease (?:contact|ask|call|speak|reach out|get in touch)\b",
)
ASKS_FOR_CONTENT = (
    r"\b(?:what|which|who|whose|when|where|why|how|provide|share|give me|tell me|send me)\b",
)
OPEN_QUESTION = (
    r"^\W*(?:and |also,? |so,? )?(?:(?:until|till|for|to|in|on|at|by|from|with|under|since) )?"
    r"(?:what|which|whom?|whose|when|where|why|how)\b",
)
# "Was it lost or stolen?" asks how it is, "Upstairs or downstairs?" what is liked.
CHOICE_OF_FACTS = (
    r"^\W*(?:\w+,? )?(?:is|are|am|was|were|did|does|have|has|had)\b"
    r"(?! (?:that|this) (?:okay|ok|fine))[^.?!]*\bor\b",
)
ALTERNATIVES = (
    r"\b(?:i|we) (?:can|could) (?:either |also )?[^.?!]+\bor\b",
    r"\b(?:options?|alternatives?|possibilities)\b",
)
CHOICE = (
    r"\bor\b",
    r"\bprefer|\bhow would you like\b",
    r"\b(?:which|what) (?:option|alternative|choice)s?\b",
)
_FUNCTION_WORD = re.compile(
    r"the|and|yours?|you|for|are|was|were|his|her|its|our|their|them|they|this|that|these|those|with"
    r"|from|into|onto|have|has|had|would|will|shall|should|could|can|may|might|wants?|like|prefer"
    r"|rather|please|which|what|when|where|who|whom|how|why|does|did|not|but|any|all|one|two|there"
    r"|here|than|then|too|also|just|only|about|some|more|most|been|being|get|got|let|now|yes|know"
    r"|tell|ask|need|say|said|make|made|still|both|either|neither|other|another"
)
GO_AHEAD = (r"\b(?:go ahead|proceed|continue)\b",)


@cache
def compiled(patterns: Sequence[str]) -> re.Pattern[str]:
    """Compile alternatives into one case-insensitive pattern."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), re.IGNORECASE)


def content_words(text: str) -> set[str]:
    """The stems of a text's words that carry meaning, so that "cancelled" meets "cancel"."""
    words = re.findall(r"[^\W_]{3,}", text.lower())
    return {word[:5] for word in words if not _FUNCTION_WORD.fullmatch(word)}
