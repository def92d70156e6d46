"""The verdict on the rows that an agent left behind."""

from tb_envs.grading.changes import ColumnRules, grade_changes
from tb_envs.grading.grader import FinalDatabase, grade_task

__all__ = ["ColumnRules", "FinalDatabase", "grade_changes", "grade_task"]
