"""What a scripted user says of itself; the seed chooses among the phrasings."""

NOT_KNOWN = (
    "I don't know that one, sorry. Can you look it up?",
    "I'm not sure about that. Could you look it up on your side?",
    "I can't tell you that off the top of my head. Can you find it in your system?",
)
NUDGES = (
    "Hello? Are you still there?",
    "I didn't get an answer. Can you help me with this?",
    "Your message came through empty. Can you try again?",
)
WAITS = (
    "Okay, I'll wait.",
    "Sure, go ahead.",
    "All right, take your time.",
)
ASKS_ABOUT_REQUEST = (
    "Okay. And what does that mean for my request?",
    "I see. So what happens with my request now?",
    "All right. So where does that leave my request?",
)
CONSENTS = (
    "Yes, please go ahead.",
    "Yes, please do.",
    "Yes, go ahead, please.",
)
AGREES = (
    "Yes, that's right.",
    "Yes, that is correct.",
    "Yes.",
)
HAS_NO_PREFERENCE = (
    "Whichever fits what I asked for.",
    "I have no preference there. Whatever fits my request.",
    "Either is fine, as long as it fits what I asked for.",
)
NOTHING_TO_ADD = (
    "No, that is all I can tell you.",
    "Nothing else that I know of.",
    "No, nothing more.",
)
GIVES_UP = (
    "This isn't getting me anywhere. I'll try again another time.",
    "I'm not getting any help here, so I'll leave it for now.",
    "I'll stop here and try later. Goodbye.",
)
