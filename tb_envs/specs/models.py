"""The records that domain and task files hold, as strict pydantic models.

A *family file* (``task_specs/<domain>/tasks/<family>.yaml``) holds one situation with several
variants. ``base`` is what the variants share: each variant is merged over it (mappings by key,
lists and scalars replaced whole). Loading never executes anything from a file.
"""

import re
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)


def _regex(pattern: str) -> str:
    """Refuse what is no regular expression while its file and line are known."""
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    return pattern


def _matchers(row: dict[str, Any]) -> dict[str, Any]:
    """Refuse a matcher that could not be matched, or would match anything, when it is graded."""
    for column, value in row.items():
        if isinstance(value, dict) and len(matcher := cast("dict[str, Any]", value)) == 1:
            ((kind, argument),) = matcher.items()
            if kind == "matches":
                _regex(str(argument))
            elif kind == "any" and not isinstance(argument, bool):
                raise ValueError(f"{column}: `any` takes true (any value) or false (no value)")
            elif kind == "one_of" and not (isinstance(argument, list) and argument):
                raise ValueError(f"{column}: `one_of` takes a list of values")
            elif kind == "contains" and not argument:
                raise ValueError(f"{column}: `contains` takes a text or a list of texts")
    return row


Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
Regex = Annotated[str, AfterValidator(_regex)]
Row = dict[str, Any]
ExpectedRow = Annotated[Row, AfterValidator(_matchers)]
Split = Literal["bench", "train", "demo"]
RightEnd = Literal["act", "act_differently", "approval", "refuse", "escalate", "partial"]
RIGHT_ENDS: tuple[RightEnd, ...] = get_args(RightEnd)
Trait = Literal["false_claim", "mixed_requests"]
TRAITS: tuple[Trait, ...] = get_args(Trait)


class Spec(BaseModel):
    """Base of every record of a spec file: unknown keys and wrong types are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Article(Spec):
    """A knowledge article, found by the full-text search tool."""

    id: str
    title: str
    body: str


class Check(Spec):
    """A predicate on the final database: one SELECT of one boolean, run read-only."""

    name: str
    sql: str
    because: str = Field(default="", description="The rule or sentence that it enforces.")


class Verification(Spec):
    """Who asks is verified first: where a check has passed, nothing was written before it.

    A new row of ``table`` like ``row`` is the passed check. Tables of ``may_precede`` may be
    written before it; so may rows of ``may_begin_before``, if their last write came after it.
    """

    table: Name
    row: ExpectedRow = Field(min_length=1)
    may_precede: list[Name] = []
    may_begin_before: list[Name] = []


class DomainSpec(Spec):
    """``domain.yaml``: a world of tables, tools and rules."""

    title: str
    description: str = ""
    toolsets: list[Name] = Field(
        min_length=1, description="Modules of tb_envs.domains whose tools the agent gets, in order."
    )
    schemas: list[Name] = Field(
        default=[], description="Shared schemas of task_specs/shared that come before schema.sql."
    )
    now: str = Field(description="The clock's default, ISO 8601 with offset.")
    free_columns: list[str] = Field(
        default=[],
        description="Columns never compared (generated ids, timestamps): column or table.column.",
    )
    verification: Verification | None = Field(
        default=None, description="None: the order of an episode's writes does not matter."
    )
    checks: list[Check] = Field(
        default=[], description="What holds at the end of every task of the domain."
    )
    articles: list[Article] = []


class Fact(Spec):
    """Something the user knows and says when asked.

    ``asked_by`` are regular expressions, matched case-insensitively against the agent's message;
    well-known fact names (full_name, email, booking_reference, ...) have built-in ones.
    """

    say: str
    asked_by: list[Regex] = []


AnyFact = Annotated[
    Annotated[str, Tag("text")] | Annotated[Fact, Tag("fact")],
    Discriminator(lambda value: "text" if isinstance(value, str) else "fact"),
]


class Reply(Spec):
    """A scripted reaction: when the agent's message matches, the user says this.

    ``once`` limits it to one use; ``ends`` makes it the user's last message.
    """

    name: Name
    when: list[Regex] = Field(min_length=1, description="Regular expressions; any may match.")
    unless: list[Regex] = Field(default=[], description="Regular expressions; none may match.")
    say: str
    once: bool = True
    ends: bool = False


class UserSpec(Spec):
    """The simulated user: what opens the talk, what is private, how it reacts."""

    opening: str
    private_context: str = Field(description="What the user knows and wants; for the LLM.")
    facts: dict[Name, AnyFact] = {}
    replies: list[Reply] = []
    pushes: list[str] = Field(
        default=[], description="Said one by one when the agent reports an outcome, before closing."
    )
    closing: str = "Okay, thank you. That is all."


class Start(Spec):
    """Records that differ from the domain's seed when the episode starts, by table."""

    insert: dict[Name, list[Row]] = {}
    update: dict[Name, list["RowUpdate"]] = {}
    delete: dict[Name, list[Row]] = {}


class RowUpdate(Spec):
    """Rows picked by equality (``where``) get these values (``set``)."""

    where: Row = Field(min_length=1)
    set: Row = Field(min_length=1)


class Limits(Spec):
    """When an episode is cut: assistant turns, tool calls, wall-clock seconds."""

    turns: Annotated[int, Field(ge=1)] = 40
    tool_calls: Annotated[int, Field(ge=1)] = 60
    seconds: Annotated[float, Field(gt=0)] = 1800.0


class Step(Spec):
    """One step of an oracle or trap: a tool call, or a message to the user.

    In ``with``, a string ``$label.path`` is replaced by that part of the JSON result of the call
    labelled ``as: label`` (``$refund.id``, ``$found.0.booking_reference``).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)

    call: Name | None = None
    with_: dict[str, Any] = Field(default={}, alias="with")
    as_: Name | None = Field(default=None, alias="as")
    say: str | None = None

    @model_validator(mode="after")
    def _one_kind(self) -> "Step":
        if (self.call is None) == (self.say is None):
            raise ValueError("a step is either a `call` (with `with`, `as`) or a `say`")
        if self.say is not None and (self.with_ or self.as_):
            raise ValueError("`with` and `as` belong to a `call`")
        return self


class Trap(Spec):
    """A plausible wrong solution that must fail, named by the mistake that it makes."""

    name: Slug
    mistake: str
    steps: list[Step] = Field(min_length=1)


Count = Annotated[int, Field(ge=0)] | Literal["any", "optional"]


class InsertRule(Spec):
    """New rows that the right end has.

    Columns not in ``row``, not in ``free`` and not free in the domain must hold their default.
    Values are literals or matchers: ``{contains: [..]}``, ``{matches: regex}``, ``{one_of: [..]}``.
    ``count`` is exact; "optional" is 0 or 1; "any" is 0 or more.
    """

    insert: Name
    row: ExpectedRow = {}
    free: list[Name] = []
    count: Count = 1


class UpdateRule(Spec):
    """Rows picked by ``where`` (final values) that change in exactly the columns of ``set``."""

    update: Name
    where: ExpectedRow = Field(min_length=1)
    set: ExpectedRow = {}
    free: list[Name] = []
    count: Count = 1


class DeleteRule(Spec):
    """Rows picked by ``where`` (start values) that are gone."""

    delete: Name
    where: ExpectedRow = Field(min_length=1)
    count: Count = 1


def _rule_kind(value: Any) -> str | None:
    """Tell rules apart by the key that names the operation, so that errors name one rule."""
    if isinstance(value, InsertRule | UpdateRule | DeleteRule):
        return type(value).__name__.removesuffix("Rule").lower()
    kinds = [kind for kind in ("insert", "update", "delete") if kind in value]
    return kinds[0] if len(kinds) == 1 else None


ChangeRule = Annotated[
    Annotated[InsertRule, Tag("insert")]
    | Annotated[UpdateRule, Tag("update")]
    | Annotated[DeleteRule, Tag("delete")],
    Discriminator(_rule_kind),
]


class ExpectedRecord(Spec):
    """A final row, found by ``key`` and compared in the columns of ``row``."""

    table: Name
    key: Row = Field(min_length=1)
    row: ExpectedRow | None = Field(
        description="Expected columns; null means that no such row may exist."
    )


class Rubric(Spec):
    """A narrow yes/no question for the judge about what the user was told."""

    name: str
    question: str
    expected: Literal["yes", "no"] = "yes"


class Expectation(Spec):
    """What must be true at the end. ``changes`` are the only changes that may have happened."""

    checks: list[Check] = []
    changes: list[ChangeRule] = []
    records: list[ExpectedRecord] = []

    @model_validator(mode="after")
    def _not_empty(self) -> "Expectation":
        if not self.checks and not self.records:
            raise ValueError(
                "a task needs at least one of `checks` and `records`: without a positive record "
                "an agent that does nothing would pass"
            )
        return self


class Variant(Spec):
    """One task: a case with one right end."""

    name: Slug
    summary: str = Field(description="What is right here, and why, in a sentence.")
    right_end: RightEnd
    traits: list[Trait] = Field(
        default=[],
        description="What makes it hard, for counting: the user claims what the database "
        "contradicts; several requests, one of them allowed and one not.",
    )
    now: str | None = None
    user: UserSpec | None = Field(default=None, description="None: a task without a user.")
    instruction: str = Field(default="", description="The task's text where there is no user.")
    start: Start = Start()
    limits: Limits = Limits()
    oracle: list[Step]
    traps: list[Trap] = Field(min_length=1)
    expect: Expectation
    rubrics: list[Rubric] = []
    mcp: "OutsideServer | None" = None

    @model_validator(mode="after")
    def _user_or_instruction(self) -> "Variant":
        if (self.user is None) == (not self.instruction):
            raise ValueError("a variant has either a `user` or an `instruction`")
        if not self.oracle:
            raise ValueError("`oracle` is empty: every task needs a scripted solution that passes")
        return self


class OutsideServer(Spec):
    """An outside MCP server as the toolset: a stdio command or a streamable HTTP URL.

    ``{database_url}`` in ``command`` or ``url`` is replaced by the episode database's address for
    the agent's role.
    """

    command: list[str] | None = None
    url: str | None = None

    @model_validator(mode="after")
    def _one(self) -> "OutsideServer":
        if (self.command is None) == (self.url is None):
            raise ValueError("give either `command` or `url`")
        return self


class FamilySpec(Spec):
    """A task file, after ``base`` was merged into its variants."""

    family: Slug
    domain: Name
    split: Split
    purpose: str
    difficulty: str = ""
    grid: bool = Field(
        default=False,
        description="Variants are a grid of conditions to learn from, not a case of its own each.",
    )
    variants: list[Variant] = Field(min_length=1)


Variant.model_rebuild()
Start.model_rebuild()
