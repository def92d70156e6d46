-- What this domain has besides the shared tables (codes, customers, tickets).
CREATE TABLE books (
    id text PRIMARY KEY,
    title text NOT NULL CHECK (title <> ''),
    is_reserved boolean NOT NULL DEFAULT false
);

CREATE TABLE loans (
    id text PRIMARY KEY,
    book_id text NOT NULL REFERENCES books,
    customer_id text NOT NULL REFERENCES customers,
    due date NOT NULL,
    extensions int NOT NULL DEFAULT 0 CHECK (extensions >= 0),
    updated_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX loans_by_customer ON loans (customer_id);
