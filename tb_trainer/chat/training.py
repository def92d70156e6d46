"""Train a small byte-level tokenizer for a chat family: for demos and tests, without a hub."""

from collections.abc import Iterable

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

from tb_trainer.chat.families import ChatFamily

# Words with their leading space, single digits (identifiers must be copied digit by digit), and
# runs of punctuation; the idea is that of the GPT-2 and Qwen pre-tokenizers.
_PIECES = r" ?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+|\s+"


def train_tokenizer(
    texts: Iterable[str], family: ChatFamily, *, vocab_size: int
) -> PreTrainedTokenizerFast:
    """Train byte-level BPE; any text can be encoded, and the family's tokens are one id each.

    Args:
        texts: What the vocabulary is learned from.
        family: Gives control tokens (special) and markup tokens (not special, so that decoding
            keeps them) and the chat template that is stored with the tokenizer.
        vocab_size: The size aimed at, all added tokens included.
    """
    core = Tokenizer(models.BPE())
    core.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    core.decoder = decoders.ByteLevel()
    added = len(family.control_tokens) + len(family.markup_tokens)
    core.train_from_iterator(
        texts,
        trainers.BpeTrainer(
            vocab_size=vocab_size - added,
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        ),
    )
    core.add_special_tokens(
        [AddedToken(token, special=True, normalized=False) for token in family.control_tokens]
    )
    core.add_tokens(
        [AddedToken(token, special=False, normalized=False) for token in family.markup_tokens]
    )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core,
        eos_token=family.end_of_turn,
        pad_token=family.control_tokens[-1],
        clean_up_tokenization_spaces=False,
    )
    tokenizer.chat_template = family.template
    return tokenizer
