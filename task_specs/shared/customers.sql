-- The people who contact the company, and the record of who was verified for which ticket.
CREATE TYPE customer_status AS ENUM ('active', 'blocked', 'closed');

CREATE SEQUENCE customer_number START 5001;

CREATE TABLE customers (
    id text PRIMARY KEY DEFAULT 'CUS-' || nextval('customer_number'),
    full_name text NOT NULL CHECK (full_name <> ''),
    email text NOT NULL UNIQUE CHECK (email = lower(email) AND email LIKE '%_@_%'),
    phone text NOT NULL,
    date_of_birth date NOT NULL,
    postal_code text NOT NULL,
    tier text NOT NULL DEFAULT 'none',
    status customer_status NOT NULL DEFAULT 'active',
    created_at timestamptz NOT NULL DEFAULT clock_now(),
    updated_at timestamptz NOT NULL DEFAULT clock_now()
);
