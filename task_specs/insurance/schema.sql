-- An auto insurer's service and claims desk: policies with their vehicles, coverages and drivers,
-- claims and what is paid on them, premiums and fees, documents, recoveries from other insurers.

ALTER TABLE customers ADD CONSTRAINT known_tier CHECK (tier IN ('none', 'plus'));

CREATE TYPE policy_status AS ENUM ('active', 'lapsed', 'cancelled', 'expired');

CREATE TABLE policies (
    number text PRIMARY KEY CHECK (number ~ '^TMA-[0-9]{5}$'),
    holder_id text NOT NULL REFERENCES customers,
    status policy_status NOT NULL DEFAULT 'active',
    state text NOT NULL CHECK (state ~ '^[A-Z]{2}$'),
    effective_on date NOT NULL,
    expires_on date NOT NULL CHECK (expires_on > effective_on),
    annual_premium numeric(10, 2) NOT NULL CHECK (annual_premium > 0),
    billing_plan text NOT NULL CHECK (billing_plan IN ('full', 'monthly')),
    lapsed_on date,
    cancelled_on date,
    cancel_reason text REFERENCES codes CHECK (cancel_reason LIKE 'CXL-%'),
    updated_at timestamptz NOT NULL DEFAULT clock_now(),
    CONSTRAINT lapse_is_dated CHECK ((status = 'lapsed') = (lapsed_on IS NOT NULL)),
    CONSTRAINT cancellation_is_dated CHECK ((cancelled_on IS NULL) = (cancel_reason IS NULL)),
    CONSTRAINT cancelled_has_date CHECK (status <> 'cancelled' OR cancelled_on IS NOT NULL)
);

CREATE INDEX policies_by_holder ON policies (holder_id);

COMMENT ON COLUMN policies.cancelled_on IS 'First day without cover; may lie ahead.';

CREATE TABLE vehicles (
    id text PRIMARY KEY CHECK (id ~ '^VEH-[0-9]{4}$'),
    policy_number text NOT NULL REFERENCES policies,
    plate text NOT NULL UNIQUE,
    make text NOT NULL,
    model text NOT NULL,
    model_year smallint NOT NULL CHECK (model_year BETWEEN 1980 AND 2027),
    market_value numeric(10, 2) NOT NULL CHECK (market_value > 0),
    garaging_street text NOT NULL,
    garaging_city text NOT NULL,
    garaging_state text NOT NULL CHECK (garaging_state ~ '^[A-Z]{2}$'),
    garaging_postal_code text NOT NULL,
    lienholder text,
    lienholder_email text,
    loan_balance numeric(10, 2) CHECK (loan_balance > 0),
    CONSTRAINT loan_has_lender CHECK (
        (lienholder IS NULL) = (lienholder_email IS NULL)
        AND (lienholder IS NULL) = (loan_balance IS NULL))
);

CREATE INDEX vehicles_by_policy ON vehicles (policy_number);

CREATE TYPE coverage_kind AS ENUM
    ('liability', 'collision', 'comprehensive', 'rental', 'roadside', 'glass');

-- What a vehicle is covered for. `limit_amount` is a day's rent or one tow where it applies.
CREATE TABLE coverages (
    vehicle_id text NOT NULL REFERENCES vehicles,
    kind coverage_kind NOT NULL,
    deductible numeric(10, 2) CHECK (deductible >= 0),
    limit_amount numeric(10, 2) CHECK (limit_amount > 0),
    max_days smallint CHECK (max_days > 0),
    effective_on date NOT NULL,
    ended_on date CHECK (ended_on >= effective_on),
    PRIMARY KEY (vehicle_id, kind),
    CONSTRAINT only_rental_has_days CHECK ((kind = 'rental') = (max_days IS NOT NULL))
);

COMMENT ON COLUMN coverages.effective_on IS 'Since when it stands as it is now.';

CREATE TYPE driver_status AS ENUM ('rated', 'excluded', 'removed');

CREATE SEQUENCE driver_number START 8001;

-- Who else drives the policy's vehicles; the policyholder always does and has no row.
CREATE TABLE drivers (
    id text PRIMARY KEY DEFAULT 'DRV-' || nextval('driver_number'),
    policy_number text NOT NULL REFERENCES policies,
    customer_id text REFERENCES customers,
    full_name text NOT NULL CHECK (full_name <> ''),
    date_of_birth date NOT NULL,
    licensed_on date NOT NULL CHECK (licensed_on > date_of_birth),
    relation text NOT NULL
        CHECK (relation IN ('spouse', 'child', 'parent', 'relative', 'other')),
    status driver_status NOT NULL DEFAULT 'rated',
    since date NOT NULL,
    updated_at timestamptz NOT NULL DEFAULT clock_now(),
    UNIQUE (policy_number, full_name, date_of_birth)
);

CREATE SEQUENCE endorsement_number START 7001;

-- Every change of a policy, as it was written down.
CREATE TABLE endorsements (
    id text PRIMARY KEY DEFAULT 'END-' || nextval('endorsement_number'),
    policy_number text NOT NULL REFERENCES policies,
    code text NOT NULL REFERENCES codes CHECK (code LIKE 'CHG-%'),
    vehicle_id text REFERENCES vehicles,
    driver_id text REFERENCES drivers,
    effective_on date NOT NULL,
    detail text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX endorsements_by_policy ON endorsements (policy_number);

CREATE TYPE claim_status AS ENUM ('open', 'closed');

CREATE SEQUENCE claim_number START 90001;

CREATE TABLE claims (
    number text PRIMARY KEY DEFAULT 'CLM-' || nextval('claim_number'),
    policy_number text NOT NULL REFERENCES policies,
    vehicle_id text NOT NULL REFERENCES vehicles,
    driver_name text,
    loss_on date NOT NULL,
    cause text NOT NULL REFERENCES codes CHECK (cause LIKE 'LOSS-%'),
    police_report text,
    other_insurer text,
    our_fault_percent smallint CHECK (our_fault_percent BETWEEN 0 AND 100),
    represented_by text,
    reserve numeric(10, 2) NOT NULL DEFAULT 0 CHECK (reserve >= 0),
    offer_amount numeric(10, 2) CHECK (offer_amount > 0),
    offered_on date,
    status claim_status NOT NULL DEFAULT 'open',
    outcome text REFERENCES codes CHECK (outcome LIKE 'CLO-%'),
    reported_at timestamptz NOT NULL DEFAULT clock_now(),
    closed_at timestamptz,
    CONSTRAINT closed_has_outcome CHECK ((status = 'closed') = (outcome IS NOT NULL)),
    CONSTRAINT closed_is_dated CHECK ((status = 'closed') = (closed_at IS NOT NULL)),
    CONSTRAINT offer_is_dated CHECK ((offer_amount IS NULL) = (offered_on IS NULL))
);

CREATE INDEX claims_by_policy ON claims (policy_number);

COMMENT ON COLUMN claims.offer_amount IS 'Total loss: the value that the total loss team offered.';

CREATE TABLE shops (
    id text PRIMARY KEY CHECK (id ~ '^SHOP-[0-9]{2}$'),
    name text NOT NULL,
    city text NOT NULL,
    state text NOT NULL,
    in_network boolean NOT NULL,
    status text NOT NULL CHECK (status IN ('active', 'suspended'))
);

CREATE TYPE estimate_status AS ENUM ('submitted', 'approved', 'rejected');

CREATE TABLE estimates (
    id text PRIMARY KEY CHECK (id ~ '^EST-[0-9]{4}$'),
    claim_number text NOT NULL REFERENCES claims,
    shop_id text NOT NULL REFERENCES shops,
    kind text NOT NULL CHECK (kind IN ('initial', 'supplement')),
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    note text,
    status estimate_status NOT NULL DEFAULT 'submitted',
    submitted_on date NOT NULL,
    decided_at timestamptz,
    CONSTRAINT decision_of_estimate_is_dated
        CHECK ((status = 'submitted') = (decided_at IS NULL))
);

CREATE INDEX estimates_by_claim ON estimates (claim_number);

CREATE TYPE invoice_status AS ENUM ('submitted', 'paid', 'rejected');

-- Bills of others than repair shops: towing, storage, glass.
CREATE TABLE invoices (
    id text PRIMARY KEY CHECK (id ~ '^INV-[0-9]{4}$'),
    claim_number text NOT NULL REFERENCES claims,
    kind text NOT NULL CHECK (kind IN ('tow', 'storage', 'glass_repair', 'glass_replacement')),
    vendor text NOT NULL,
    vendor_reference text NOT NULL,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    days smallint CHECK (days > 0),
    service_on date NOT NULL,
    received_on date NOT NULL CHECK (received_on >= service_on),
    paid_by_insured boolean NOT NULL DEFAULT false,
    status invoice_status NOT NULL DEFAULT 'submitted',
    CONSTRAINT storage_has_days CHECK ((kind = 'storage') = (days IS NOT NULL))
);

CREATE INDEX invoices_by_claim ON invoices (claim_number);

COMMENT ON COLUMN invoices.paid_by_insured IS 'The insured paid it and asks for the money.';

CREATE TYPE claim_payment_status AS ENUM ('issued', 'cleared', 'stopped');

CREATE SEQUENCE claim_payment_number START 5001;

CREATE TABLE claim_payments (
    id text PRIMARY KEY DEFAULT 'CPY-' || nextval('claim_payment_number'),
    claim_number text NOT NULL REFERENCES claims,
    coverage coverage_kind NOT NULL,
    payee_kind text NOT NULL CHECK (payee_kind IN ('insured', 'shop', 'lienholder', 'vendor')),
    payee text NOT NULL,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'PAY-%'),
    estimate_id text REFERENCES estimates,
    invoice_id text REFERENCES invoices,
    approval_id text REFERENCES approval_requests,
    replaces_payment text REFERENCES claim_payments,
    status claim_payment_status NOT NULL DEFAULT 'issued',
    stop_reason text REFERENCES codes CHECK (stop_reason LIKE 'STP-%'),
    issued_at timestamptz NOT NULL DEFAULT clock_now(),
    CONSTRAINT stopped_has_reason CHECK ((status = 'stopped') = (stop_reason IS NOT NULL))
);

CREATE INDEX claim_payments_by_claim ON claim_payments (claim_number);

CREATE TYPE rental_status AS ENUM ('authorised', 'returned', 'withdrawn');

CREATE SEQUENCE rental_number START 3001;

CREATE TABLE rentals (
    id text PRIMARY KEY DEFAULT 'RNT-' || nextval('rental_number'),
    claim_number text NOT NULL REFERENCES claims,
    company text NOT NULL,
    daily_rate numeric(10, 2) NOT NULL CHECK (daily_rate > 0),
    starts_on date NOT NULL,
    ends_on date NOT NULL CHECK (ends_on >= starts_on),
    approval_id text REFERENCES approval_requests,
    status rental_status NOT NULL DEFAULT 'authorised',
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX rentals_by_claim ON rentals (claim_number);

COMMENT ON COLUMN rentals.daily_rate IS 'What we pay a day, not what the company asks.';

CREATE TYPE recovery_status AS ENUM ('open', 'recovered', 'abandoned');

CREATE SEQUENCE recovery_number START 2001;

-- Money that we ask back from the insurer of somebody else who was at fault.
CREATE TABLE recoveries (
    id text PRIMARY KEY DEFAULT 'SUB-' || nextval('recovery_number'),
    claim_number text NOT NULL REFERENCES claims,
    insurer text NOT NULL,
    demanded numeric(10, 2) NOT NULL CHECK (demanded > 0),
    recovered numeric(10, 2) NOT NULL DEFAULT 0,
    status recovery_status NOT NULL DEFAULT 'open',
    opened_at timestamptz NOT NULL DEFAULT clock_now(),
    CONSTRAINT no_more_than_demanded CHECK (recovered BETWEEN 0 AND demanded)
);

CREATE INDEX recoveries_by_claim ON recoveries (claim_number);

CREATE TYPE instalment_status AS ENUM ('scheduled', 'overdue', 'paid', 'waived');

CREATE TABLE instalments (
    id text PRIMARY KEY CHECK (id ~ '^BIL-[0-9]{5}$'),
    policy_number text NOT NULL REFERENCES policies,
    kind text NOT NULL
        CHECK (kind IN ('premium', 'late_fee', 'returned_fee', 'reinstatement_fee')),
    fee_for text REFERENCES instalments,
    due_on date NOT NULL,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    status instalment_status NOT NULL,
    paid_on date,
    paid_with text,
    waiver text REFERENCES codes CHECK (waiver LIKE 'WVR-%'),
    waived_on date,
    CONSTRAINT paid_is_dated CHECK ((status = 'paid') = (paid_on IS NOT NULL)),
    CONSTRAINT waived_has_code CHECK (
        (status = 'waived') = (waiver IS NOT NULL) AND (waiver IS NULL) = (waived_on IS NULL)),
    CONSTRAINT premium_is_not_waived CHECK (kind <> 'premium' OR status <> 'waived')
);

CREATE INDEX instalments_by_policy ON instalments (policy_number);

CREATE SEQUENCE premium_refund_number START 4001;

CREATE TABLE premium_refunds (
    id text PRIMARY KEY DEFAULT 'PRF-' || nextval('premium_refund_number'),
    policy_number text NOT NULL REFERENCES policies,
    instalment_id text NOT NULL REFERENCES instalments,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'RFP-%'),
    approval_id text REFERENCES approval_requests,
    issued_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX premium_refunds_by_policy ON premium_refunds (policy_number);

-- Papers that we sent, and papers that we were sent.
CREATE TABLE documents (
    id bigint GENERATED BY DEFAULT AS IDENTITY (START 9001) PRIMARY KEY,
    policy_number text NOT NULL REFERENCES policies,
    vehicle_id text REFERENCES vehicles,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'DOC-%'),
    direction text NOT NULL DEFAULT 'sent' CHECK (direction IN ('sent', 'received')),
    email text NOT NULL CHECK (email = lower(email)),
    about_day date,
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX documents_by_policy ON documents (policy_number);

CREATE TYPE referral_status AS ENUM ('open', 'cleared', 'confirmed');

CREATE SEQUENCE referral_number START 1001;

-- Claims that the special investigations unit looks at.
CREATE TABLE referrals (
    id text PRIMARY KEY DEFAULT 'SIU-' || nextval('referral_number'),
    claim_number text NOT NULL REFERENCES claims,
    indicator text NOT NULL REFERENCES codes CHECK (indicator LIKE 'IND-%'),
    status referral_status NOT NULL DEFAULT 'open',
    opened_at timestamptz NOT NULL DEFAULT clock_now(),
    closed_at timestamptz,
    CONSTRAINT closed_referral_is_dated CHECK ((status = 'open') = (closed_at IS NULL))
);

CREATE INDEX referrals_by_claim ON referrals (claim_number);
