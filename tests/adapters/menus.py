"""A task's own solutions as moves of its menu."""

from collections.abc import Iterator

from tb_envs.policies import OraclePolicy, Policy, TrapPolicy
from tb_envs.specs import find_task
from tb_envs.specs.models import Step
from tb_envs.wrappers.menu_action import menu_of, steps_of
from tests.adapters.players import TASK


def moves_of(policy: Policy) -> Iterator[int]:
    """The moves of a policy's script, then goodbyes; a goodbye is the oracle's last move."""
    task = find_task(TASK)
    menu = menu_of(steps_of(task, "task"))
    goodbye = task.variant.oracle[-1]
    for step in _script(policy):
        yield _index(menu, step)
    while True:
        yield _index(menu, goodbye)


def _script(policy: Policy) -> tuple[Step, ...]:
    variant = find_task(TASK).variant
    if isinstance(policy, OraclePolicy):
        return tuple(variant.oracle)
    if isinstance(policy, TrapPolicy):
        (trap,) = (trap for trap in variant.traps if f"trap:{trap.name}" == policy.name)
        return tuple(trap.steps)
    return ()


def _index(menu: tuple[Step, ...], step: Step) -> int:
    same = (step.call, step.with_, step.say)
    return next(
        index for index, move in enumerate(menu) if (move.call, move.with_, move.say) == same
    )
