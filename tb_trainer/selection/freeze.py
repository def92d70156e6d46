"""From probes on disk to a frozen pool: read, choose, write down how."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tb_trainer.selection.bands import Posterior
from tb_trainer.selection.campaign import installed_versions, now_text
from tb_trainer.selection.candidates import candidates_of, count_attempts
from tb_trainer.selection.ledger import Ledger
from tb_trainer.selection.pool import Manifest, Pool, pool_digest
from tb_trainer.selection.rules import Exclusion, SelectionSettings, choose
from tb_trainer.selection.suite import Suite


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a pool is made from: the base policy's probes, a reference's, suites to keep out."""

    probe: Path
    reference: Path | None = None
    excluded: Sequence[Suite] = ()


def make_pool(inputs: Inputs, settings: SelectionSettings) -> Pool:
    """Choose tasks from probes and describe how they were chosen.

    Raises:
        UsageError: a folder holds no results, or attempts at other content.
    """
    ledger = Ledger.open(inputs.probe)
    suite = ledger.campaign.suite
    counts = count_attempts(ledger.episodes(), suite)
    reference = _reference(inputs.reference, suite)
    selection = choose(
        candidates_of(suite, counts),
        settings,
        exclusion=Exclusion.of(inputs.excluded),
        reference=None if reference is None else reference[1],
    )
    manifest = Manifest(
        created_at=now_text(),
        policy=ledger.campaign.policy,
        sampling=ledger.campaign.sampling,
        reference_policy=None if reference is None else reference[0],
        settings=settings.model_dump(mode="json"),
        inputs=_input_hashes(inputs),
        versions=installed_versions(),
        candidates=len(suite.tasks),
        system_errors=sum(ledger.tries().values()),
        rejected=selection.rejected,
    )
    return Pool(
        digest=pool_digest(selection.train, selection.held_out),
        tasks=selection.train,
        held_out=selection.held_out,
        manifest=manifest,
    )


def _reference(folder: Path | None, suite: Suite) -> tuple[str, dict[str, Posterior]] | None:
    if folder is None:
        return None
    ledger = Ledger.open(folder)
    counts = count_attempts(ledger.episodes(), suite)
    posteriors = {
        task_id: Posterior(counts.passes[task_id], attempts - counts.passes[task_id])
        for task_id, attempts in counts.attempts.items()
    }
    return ledger.campaign.policy, posteriors


def _input_hashes(inputs: Inputs) -> dict[str, str]:
    folders = {"probe": inputs.probe}
    if inputs.reference is not None:
        folders["reference"] = inputs.reference
    hashes = {
        f"{role}/{name}": _sha256(folder / name)
        for role, folder in folders.items()
        for name in ("campaign.json", "episodes.jsonl")
        if (folder / name).exists()
    }
    return hashes | {f"excluded/{suite.name}": suite.digest for suite in inputs.excluded}


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
