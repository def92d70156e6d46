"""What a scripted user says of itself; the seed chooses among the phrasings."""

NOT_KNOWN = (
    "I don't know that one, sorry. Can you look it up?",
    "I'm not sure about that. Could you look it up on your side?",
    "I can't tell you that off the top of my head. Can you find it in your system?",
)
CANNOT_SAY = (
    "I can't say yes or no to that. I have told you what I know, please go by your records.",
    "I don't know that either way. Please decide with what you have in front of you.",
    "I couldn't tell you. Please go on with what I told you and what you have on record.",
)
CANNOT_SEND = (
    "I can't send anything here, sorry. Please go on without it.",
    "I have no way to send you that from here. Can you do without?",
    "That I can't send you in this chat. Please go on with what you have.",
)
KEEPS = (
    "Yes, I want to keep it.",
    "Yes, I would like to keep that.",
    "I want to keep it, yes.",
)
LETS_GO = (
    "No, I don't want to keep it.",
    "No, I am not keeping that.",
    "I don't want to keep it, no.",
)
IS_THERE = (
    "Yes, I'm here.",
    "Yes, I'm listening.",
    "I'm here, yes.",
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
