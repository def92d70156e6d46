-- Requests that somebody with the right to say yes must decide before the desk may act.
-- Needs: codes, tickets.
CREATE TYPE approval_status AS ENUM ('pending', 'approved', 'rejected', 'withdrawn');

CREATE SEQUENCE approval_number START 4001;

CREATE TABLE approval_requests (
    id text PRIMARY KEY DEFAULT 'APR-' || nextval('approval_number'),
    approval_type text NOT NULL REFERENCES codes CHECK (approval_type LIKE 'APV-%'),
    reference text NOT NULL,
    target text,
    amount numeric(12, 2) CHECK (amount >= 0),
    currency text CHECK (currency ~ '^[A-Z]{3}$'),
    approver_email text NOT NULL CHECK (approver_email = lower(approver_email)),
    justification text NOT NULL CHECK (justification <> ''),
    ticket_id text REFERENCES tickets,
    status approval_status NOT NULL DEFAULT 'pending',
    requested_at timestamptz NOT NULL DEFAULT clock_now(),
    decided_at timestamptz,
    decided_by text,
    decision_note text,
    CONSTRAINT amount_has_currency CHECK ((amount IS NULL) = (currency IS NULL)),
    CONSTRAINT decision_is_dated
        CHECK ((status IN ('approved', 'rejected')) = (decided_at IS NOT NULL)),
    CONSTRAINT decision_has_author
        CHECK ((status IN ('approved', 'rejected')) = (decided_by IS NOT NULL)),
    CONSTRAINT decided_after_request CHECK (decided_at >= requested_at)
);

CREATE INDEX approval_requests_by_reference ON approval_requests (reference);

COMMENT ON COLUMN approval_requests.reference IS 'What the approval is about, such as a booking.';
COMMENT ON COLUMN approval_requests.target IS 'What exactly would be done, such as a room type.';
