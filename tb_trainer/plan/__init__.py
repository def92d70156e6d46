"""``tb-train plan``: everything that can be known wrong before anything starts, all at once."""

from tb_trainer.plan.check import Fault, Plan, make_plan
from tb_trainer.plan.show import show_plan

__all__ = ["Fault", "Plan", "make_plan", "show_plan"]
