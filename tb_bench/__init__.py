"""How dependable a policy is: attempts over a suite, figures with honest intervals, reports."""

from tb_bench.results import Attempt, Results, read_results
from tb_bench.summary import Scope, Summary, summarise

__all__ = ["Attempt", "Results", "Scope", "Summary", "read_results", "summarise"]
