-- Knowledge articles with PostgreSQL full-text search; titles weigh more than bodies.
CREATE TABLE articles (
    id text PRIMARY KEY,
    title text NOT NULL,
    body text NOT NULL,
    search tsvector NOT NULL GENERATED ALWAYS AS (
        setweight(to_tsvector('english', title), 'A')
        || setweight(to_tsvector('english', body), 'B')
    ) STORED
);

CREATE INDEX articles_by_search ON articles USING gin (search);
