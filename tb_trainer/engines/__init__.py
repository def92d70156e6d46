"""Inference engines behind one protocol: token ids in, token ids and log-probabilities out.

``transformers`` runs anywhere, ``vllm`` inside the process, ``served`` asks vLLM servers over HTTP.
Each is imported only when asked for.
"""

from tb_trainer.engines.protocol import Engine, Request, WeightSource

__all__ = ["Engine", "Request", "WeightSource"]
