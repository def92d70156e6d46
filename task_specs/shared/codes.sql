-- Codes that people and reports count by. The prefix is the kind: HOLD-, RES-, TEAM-, CAT-, APV-, ...
-- A domain seeds its own; a column that holds one kind checks the prefix.
CREATE TABLE codes (
    code text PRIMARY KEY CHECK (code ~ '^[A-Z]+-[A-Z0-9-]+$'),
    kind text NOT NULL GENERATED ALWAYS AS (split_part(code, '-', 1)) STORED,
    description text NOT NULL
);
