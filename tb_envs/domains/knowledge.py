"""Knowledge articles, found by PostgreSQL's full-text search. Needs `knowledge.sql`."""

from typing import Annotated

from pydantic import Field

from tb_envs.tools import Db, tool
from tb_envs.tools.db import Row


@tool
def search_knowledge(
    db: Db, query: str, limit: Annotated[int, Field(ge=1, le=10)] = 5
) -> list[Row]:
    """Search the knowledge articles; the best match comes first.

    Articles that hold all words rank before those that hold some of them.

    Args:
        query: A few words.
        limit: How many to return at most.
    """
    return db.all(
        "WITH asked AS (SELECT plainto_tsquery('english', %(query)s) AS every_word,"
        " replace(plainto_tsquery('english', %(query)s)::text, ' & ', ' | ')::tsquery AS any_word)"
        " SELECT id, title, ts_headline('english', body, any_word,"
        ' \'MaxWords=24, MinWords=12, StartSel="", StopSel=""\') AS excerpt'
        " FROM articles, asked WHERE search @@ any_word"
        " ORDER BY search @@ every_word DESC, ts_rank(search, any_word) DESC, id LIMIT %(limit)s",
        query=query,
        limit=limit,
    )


@tool
def get_article(db: Db, article_id: str) -> Row:
    """Show a whole knowledge article.

    Args:
        article_id: The article, such as KB-101.
    """
    return db.require(
        f"There is no article {article_id}.",
        "SELECT id, title, body FROM articles WHERE id = %(article_id)s",
        article_id=article_id,
    )


TOOLS = (search_knowledge, get_article)
