"""The verdict on the rows that an agent left behind."""

from tb_envs.grading.changes import NO_CHANGE, ColumnRules, grade_changes
from tb_envs.grading.grader import FinalDatabase, grade_task
from tb_envs.grading.soundness import refuse_unsound

__all__ = [
    "NO_CHANGE",
    "ColumnRules",
    "FinalDatabase",
    "grade_changes",
    "grade_task",
    "refuse_unsound",
]
