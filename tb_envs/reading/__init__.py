"""The one reading of model output: training, probing and benchmarking all call ``read_turn``.

From text to an assistant turn, in this order: the turn is cut at its end token, reasoning is split
from what is said, tool calls are taken out (``hermes`` or ``qwen3_xml``), special tokens go.
"""

from tb_envs.reading.reasoning import split_reasoning
from tb_envs.reading.turn import ToolFormat, read_turn

__all__ = ["ToolFormat", "read_turn", "split_reasoning"]
