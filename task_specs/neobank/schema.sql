-- A bank without branches: people and who may act on which account, cards and what was paid with
-- them, transfers, direct debits, fees, reviews of identity, holds, complaints and data requests.

ALTER TABLE customers ALTER COLUMN tier SET DEFAULT 'basic';
ALTER TABLE customers ADD CONSTRAINT known_tier CHECK (tier IN ('basic', 'plus', 'metal'));

CREATE TYPE employee_role AS ENUM ('agent', 'deputy', 'lead');
CREATE TYPE employee_status AS ENUM ('active', 'away', 'left');

-- The staff directory. A colleague may be a customer too.
CREATE TABLE employees (
    id text PRIMARY KEY CHECK (id ~ '^EMP-[0-9]{3}$'),
    full_name text NOT NULL,
    email text NOT NULL UNIQUE CHECK (email = lower(email)),
    team text NOT NULL REFERENCES codes CHECK (team LIKE 'TEAM-%'),
    role employee_role NOT NULL DEFAULT 'agent',
    status employee_status NOT NULL DEFAULT 'active',
    customer_id text REFERENCES customers
);

CREATE TYPE account_kind AS ENUM ('current', 'savings', 'joint', 'business');
CREATE TYPE account_status AS ENUM ('active', 'closing', 'closed');

CREATE TABLE accounts (
    id text PRIMARY KEY CHECK (id ~ '^ACC-[0-9]{4}$'),
    iban text NOT NULL UNIQUE CHECK (iban ~ '^[A-Z]{2}[0-9]{2}[A-Z0-9]+$'),
    kind account_kind NOT NULL,
    name text,
    status account_status NOT NULL DEFAULT 'active',
    balance numeric(12, 2) NOT NULL,
    transfer_limit numeric(12, 2) NOT NULL CHECK (transfer_limit >= 0),
    transfer_limit_until date,
    transfer_limit_changed_on date,
    limit_approval text REFERENCES approval_requests,
    opened_on date NOT NULL,
    close_reason text REFERENCES codes CHECK (close_reason LIKE 'CLS-%'),
    payout_iban text,
    close_approval text REFERENCES approval_requests,
    closed_on date,
    CONSTRAINT closing_has_reason CHECK ((status <> 'active') = (close_reason IS NOT NULL)),
    CONSTRAINT business_has_name CHECK ((kind = 'business') = (name IS NOT NULL))
);

COMMENT ON COLUMN accounts.transfer_limit IS 'The most that can be sent on one day.';

CREATE TYPE party_role AS ENUM ('owner', 'attorney', 'director', 'bookkeeper');
CREATE TYPE party_signing AS ENUM ('sole', 'joint');
CREATE TYPE party_scope AS ENUM ('full', 'payments', 'information');
CREATE TYPE party_status AS ENUM ('active', 'ended');

-- Who may act on an account. Scope counts for attorneys, signing for directors.
CREATE TABLE account_parties (
    account_id text NOT NULL REFERENCES accounts,
    customer_id text NOT NULL REFERENCES customers,
    role party_role NOT NULL,
    signing party_signing NOT NULL DEFAULT 'sole',
    scope party_scope NOT NULL DEFAULT 'full',
    valid_until date,
    status party_status NOT NULL DEFAULT 'active',
    PRIMARY KEY (account_id, customer_id, role)
);

CREATE INDEX account_parties_by_customer ON account_parties (customer_id);

CREATE TYPE card_kind AS ENUM ('debit', 'virtual');
CREATE TYPE card_status AS ENUM ('ordered', 'active', 'locked', 'blocked', 'expired');

CREATE SEQUENCE card_number START 9001;

CREATE TABLE cards (
    id text PRIMARY KEY DEFAULT 'CRD-' || nextval('card_number'),
    account_id text NOT NULL REFERENCES accounts,
    holder_id text NOT NULL REFERENCES customers,
    kind card_kind NOT NULL DEFAULT 'debit',
    last_four text CHECK (last_four ~ '^[0-9]{4}$'),
    status card_status NOT NULL DEFAULT 'ordered',
    block_reason text REFERENCES codes CHECK (block_reason LIKE 'BLK-%'),
    monthly_limit numeric(10, 2) NOT NULL CHECK (monthly_limit >= 0),
    atm_limit numeric(10, 2) NOT NULL CHECK (atm_limit >= 0),
    limit_until date,
    limits_changed_on date,
    limit_approval text REFERENCES approval_requests,
    ordered_on date NOT NULL DEFAULT clock_now()::date,
    expires_on date NOT NULL,
    replaces text REFERENCES cards,
    replacement_reason text REFERENCES codes CHECK (replacement_reason LIKE 'BLK-%'),
    CONSTRAINT blocked_has_reason CHECK ((status = 'blocked') = (block_reason IS NOT NULL)),
    CONSTRAINT replacement_has_reason CHECK ((replaces IS NULL) = (replacement_reason IS NULL))
);

CREATE INDEX cards_by_account ON cards (account_id);
CREATE INDEX cards_by_holder ON cards (holder_id);

COMMENT ON COLUMN cards.status IS 'Locked can be undone, blocked cannot.';

CREATE SEQUENCE notice_number START 9001;

CREATE TABLE travel_notices (
    id text PRIMARY KEY DEFAULT 'TRV-' || nextval('notice_number'),
    card_id text NOT NULL REFERENCES cards,
    country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    starts_on date NOT NULL,
    ends_on date NOT NULL,
    CONSTRAINT trip_ends_after_start CHECK (ends_on >= starts_on)
);

CREATE TYPE entry_mode AS ENUM ('chip_pin', 'contactless', 'online', 'online_3ds', 'atm');
CREATE TYPE transaction_status AS ENUM ('authorised', 'settled', 'reversed');

-- What was paid with a card. A negative amount is a merchant's refund.
CREATE TABLE card_transactions (
    id text PRIMARY KEY CHECK (id ~ '^CTX-[0-9]{4}$'),
    card_id text NOT NULL REFERENCES cards,
    merchant text NOT NULL,
    country text NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
    amount numeric(10, 2) NOT NULL CHECK (amount <> 0),
    entry entry_mode NOT NULL,
    status transaction_status NOT NULL,
    booked_at timestamptz NOT NULL
);

CREATE INDEX card_transactions_by_card ON card_transactions (card_id);

CREATE TYPE dispute_status AS ENUM ('open', 'won', 'lost', 'withdrawn');

CREATE SEQUENCE dispute_number START 9001;

CREATE TABLE disputes (
    id text PRIMARY KEY DEFAULT 'DSP-' || nextval('dispute_number'),
    transaction_id text NOT NULL REFERENCES card_transactions,
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'DSR-%'),
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    provisional_credit boolean NOT NULL DEFAULT false,
    status dispute_status NOT NULL DEFAULT 'open',
    opened_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX disputes_by_transaction ON disputes (transaction_id);

CREATE TYPE transfer_kind AS ENUM ('sepa', 'instant', 'internal');
CREATE TYPE transfer_status AS ENUM ('scheduled', 'executed', 'cancelled', 'returned');
CREATE TYPE recall_status AS ENUM ('requested', 'accepted', 'refused');

-- Money sent. Internal transfers go to another account of the bank.
CREATE TABLE transfers (
    id text PRIMARY KEY CHECK (id ~ '^TRF-[0-9]{4}$'),
    account_id text NOT NULL REFERENCES accounts,
    kind transfer_kind NOT NULL,
    recipient text NOT NULL,
    recipient_iban text NOT NULL,
    amount numeric(12, 2) NOT NULL CHECK (amount > 0),
    purpose text NOT NULL,
    status transfer_status NOT NULL,
    executes_on date NOT NULL,
    recall_reason text REFERENCES codes CHECK (recall_reason LIKE 'RCR-%'),
    recall_status recall_status,
    recall_requested_on date,
    CONSTRAINT recall_has_reason CHECK ((recall_reason IS NULL) = (recall_status IS NULL))
);

CREATE INDEX transfers_by_account ON transfers (account_id);

CREATE TYPE debit_scheme AS ENUM ('core', 'b2b');
CREATE TYPE mandate_status AS ENUM ('active', 'blocked', 'cancelled');

CREATE TABLE mandates (
    id text PRIMARY KEY CHECK (id ~ '^MND-[0-9]{4}$'),
    account_id text NOT NULL REFERENCES accounts,
    creditor text NOT NULL,
    scheme debit_scheme NOT NULL DEFAULT 'core',
    status mandate_status NOT NULL DEFAULT 'active',
    signed_on date NOT NULL,
    ended_on date,
    CONSTRAINT cancelled_is_dated CHECK ((status = 'cancelled') = (ended_on IS NOT NULL))
);

CREATE INDEX mandates_by_account ON mandates (account_id);

CREATE TYPE collection_status AS ENUM ('upcoming', 'booked', 'returned');

CREATE TABLE collections (
    id text PRIMARY KEY CHECK (id ~ '^DDC-[0-9]{4}$'),
    mandate_id text NOT NULL REFERENCES mandates,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    due_on date NOT NULL,
    status collection_status NOT NULL,
    return_reason text REFERENCES codes CHECK (return_reason LIKE 'DDR-%'),
    CONSTRAINT returned_has_reason CHECK ((status = 'returned') = (return_reason IS NOT NULL))
);

CREATE INDEX collections_by_mandate ON collections (mandate_id);

CREATE SEQUENCE fee_number START 9001;

CREATE TABLE fees (
    id text PRIMARY KEY DEFAULT 'FEE-' || nextval('fee_number'),
    account_id text NOT NULL REFERENCES accounts,
    fee_type text NOT NULL REFERENCES codes CHECK (fee_type LIKE 'CHG-%'),
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    about text,
    charged_on date NOT NULL DEFAULT clock_now()::date,
    reversed_amount numeric(10, 2) NOT NULL DEFAULT 0,
    reversal_reason text REFERENCES codes CHECK (reversal_reason LIKE 'FRV-%'),
    reversal_approval text REFERENCES approval_requests,
    reversed_on date,
    CONSTRAINT reversed_within_charged CHECK (reversed_amount BETWEEN 0 AND amount),
    CONSTRAINT reversal_has_reason CHECK ((reversed_amount > 0) = (reversal_reason IS NOT NULL)),
    CONSTRAINT reversal_is_dated CHECK ((reversed_amount > 0) = (reversed_on IS NOT NULL))
);

CREATE INDEX fees_by_account ON fees (account_id);

COMMENT ON COLUMN fees.about IS 'The card, transfer or transaction that it was charged for.';

CREATE TYPE review_risk AS ENUM ('low', 'medium', 'high');
CREATE TYPE review_status AS ENUM ('open', 'documents_requested', 'completed');

-- The review of who a customer is (know your customer), with what was handed in for it.
CREATE TABLE kyc_reviews (
    id text PRIMARY KEY CHECK (id ~ '^KYC-[0-9]{4}$'),
    customer_id text NOT NULL REFERENCES customers,
    risk review_risk NOT NULL,
    status review_status NOT NULL DEFAULT 'open',
    due_on date NOT NULL,
    extended boolean NOT NULL DEFAULT false,
    id_document text,
    id_expires_on date,
    address_proof_on date,
    funds_proof_on date,
    next_due_on date,
    settled_on date,
    CONSTRAINT completed_has_next CHECK ((status = 'completed') = (next_due_on IS NOT NULL)),
    CONSTRAINT document_has_expiry CHECK ((id_document IS NULL) = (id_expires_on IS NULL))
);

CREATE INDEX kyc_reviews_by_customer ON kyc_reviews (customer_id);

COMMENT ON COLUMN kyc_reviews.address_proof_on IS 'The day on which the proof was issued.';

CREATE TYPE account_hold_status AS ENUM ('active', 'lifted');

CREATE SEQUENCE account_hold_number START 9001;

-- What keeps an account from paying.
CREATE TABLE account_holds (
    id text PRIMARY KEY DEFAULT 'HLD-' || nextval('account_hold_number'),
    account_id text NOT NULL REFERENCES accounts,
    code text NOT NULL REFERENCES codes CHECK (code LIKE 'FRZ-%'),
    status account_hold_status NOT NULL DEFAULT 'active',
    asked_by text NOT NULL,
    placed_at timestamptz NOT NULL DEFAULT clock_now(),
    lift_reason text REFERENCES codes CHECK (lift_reason LIKE 'LFT-%'),
    approval_id text REFERENCES approval_requests,
    lifted_at timestamptz,
    CONSTRAINT lifted_has_reason CHECK ((status = 'lifted') = (lift_reason IS NOT NULL)),
    CONSTRAINT lifted_is_dated CHECK ((status = 'lifted') = (lifted_at IS NOT NULL))
);

CREATE INDEX account_holds_by_account ON account_holds (account_id);

COMMENT ON COLUMN account_holds.asked_by IS 'The customer, colleague or authority.';

CREATE TYPE case_status AS ENUM ('open', 'closed');

CREATE SEQUENCE case_number START 9001;

-- Complaints and requests about personal data.
CREATE TABLE cases (
    id text PRIMARY KEY DEFAULT 'CAS-' || nextval('case_number'),
    customer_id text NOT NULL REFERENCES customers,
    account_id text REFERENCES accounts,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'CSE-%'),
    topic text NOT NULL REFERENCES codes CHECK (topic LIKE 'TOP-%'),
    status case_status NOT NULL DEFAULT 'open',
    due_on date NOT NULL,
    outcome text REFERENCES codes CHECK (outcome LIKE 'OUT-%'),
    redress numeric(10, 2) NOT NULL DEFAULT 0 CHECK (redress >= 0),
    approval_id text REFERENCES approval_requests,
    opened_at timestamptz NOT NULL DEFAULT clock_now(),
    closed_at timestamptz,
    CONSTRAINT closed_has_outcome CHECK ((status = 'closed') = (outcome IS NOT NULL)),
    CONSTRAINT closed_is_dated CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    CONSTRAINT redress_has_outcome CHECK ((redress > 0) = (outcome IS NOT DISTINCT FROM 'OUT-REDRESS'))
);

CREATE INDEX cases_by_customer ON cases (customer_id);
