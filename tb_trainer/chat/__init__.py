"""From messages to token ids, and only for messages that the model did not write itself."""

from tb_trainer.chat.codec import ChatCodec, ChatMessage, assistant_message
from tb_trainer.chat.families import FAMILIES, ChatFamily, family_of

__all__ = ["FAMILIES", "ChatCodec", "ChatFamily", "ChatMessage", "assistant_message", "family_of"]
