-- A letting and property manager's desk: homes and who owns them, leases and who signed them, rent
-- and what was paid, repairs and who does them, deposits, notices, keys, spaces, complaints.

ALTER TABLE customers ADD CONSTRAINT renters_have_no_tier CHECK (tier = 'none');

CREATE TABLE owners (
    id text PRIMARY KEY CHECK (id ~ '^OWN-[0-9]{2}$'),
    name text NOT NULL,
    email text NOT NULL UNIQUE CHECK (email = lower(email)),
    spending_limit numeric(8, 2) NOT NULL CHECK (spending_limit >= 0),
    service text NOT NULL CHECK (service IN ('full', 'let_only'))
);

COMMENT ON COLUMN owners.spending_limit IS 'What one repair may cost without asking the owner.';

CREATE TABLE buildings (
    id text PRIMARY KEY CHECK (id ~ '^BLD-[0-9]{2}$'),
    name text NOT NULL UNIQUE,
    street text NOT NULL
);

CREATE TYPE unit_status AS ENUM ('let', 'vacant', 'works');

CREATE TABLE units (
    id text PRIMARY KEY CHECK (id ~ '^UNT-[0-9]{4}$'),
    building_id text NOT NULL REFERENCES buildings,
    owner_id text NOT NULL REFERENCES owners,
    label text NOT NULL,
    bedrooms smallint NOT NULL CHECK (bedrooms >= 0),
    max_occupants smallint NOT NULL CHECK (max_occupants > 0),
    status unit_status NOT NULL,
    UNIQUE (building_id, label)
);

CREATE TYPE lease_status AS ENUM ('upcoming', 'active', 'ended');

CREATE TABLE leases (
    id text PRIMARY KEY CHECK (id ~ '^LSE-[0-9]{4}$'),
    unit_id text NOT NULL REFERENCES units,
    status lease_status NOT NULL,
    starts_on date NOT NULL,
    fixed_until date,
    break_on date,
    ended_on date,
    rent numeric(8, 2) NOT NULL CHECK (rent > 0),
    notice_months smallint NOT NULL CHECK (notice_months BETWEEN 1 AND 3),
    pets text NOT NULL CHECK (pets IN ('allowed', 'ask', 'none')),
    CONSTRAINT only_ended_leases_have_an_end CHECK ((status = 'ended') = (ended_on IS NOT NULL)),
    CONSTRAINT break_lies_in_the_fixed_term
        CHECK (break_on IS NULL OR (fixed_until IS NOT NULL AND break_on < fixed_until))
);

CREATE INDEX leases_by_unit ON leases (unit_id);

CREATE TYPE party_role AS ENUM ('lead_tenant', 'co_tenant', 'guarantor', 'occupant');

CREATE TABLE lease_parties (
    lease_id text NOT NULL REFERENCES leases,
    customer_id text NOT NULL REFERENCES customers,
    role party_role NOT NULL,
    left_on date,
    agreed_to_end_on date,
    PRIMARY KEY (lease_id, customer_id)
);

COMMENT ON COLUMN lease_parties.agreed_to_end_on IS 'The day on which they agreed in writing to end the lease.';

CREATE TYPE charge_status AS ENUM ('open', 'paid', 'waived');

CREATE SEQUENCE charge_number START 9001;

CREATE TABLE charges (
    id text PRIMARY KEY DEFAULT 'CHG-' || nextval('charge_number'),
    lease_id text NOT NULL REFERENCES leases,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'FEE-%'),
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    due_on date NOT NULL DEFAULT clock_now()::date + 14,
    issued_on date NOT NULL DEFAULT clock_now()::date,
    status charge_status NOT NULL DEFAULT 'open',
    waiver_reason text REFERENCES codes CHECK (waiver_reason LIKE 'WVR-%'),
    CONSTRAINT waived_charges_have_a_reason
        CHECK ((status = 'waived') = (waiver_reason IS NOT NULL))
);

CREATE INDEX charges_by_lease ON charges (lease_id);

CREATE TYPE payment_method AS ENUM ('transfer', 'card', 'cash', 'direct_debit');

CREATE TABLE payments (
    id text PRIMARY KEY CHECK (id ~ '^PAY-[0-9]{4}$'),
    charge_id text NOT NULL REFERENCES charges,
    method payment_method NOT NULL,
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    received_on date NOT NULL
);

CREATE SEQUENCE refund_number START 3001;

CREATE TABLE refunds (
    id text PRIMARY KEY DEFAULT 'RFD-' || nextval('refund_number'),
    payment_id text NOT NULL REFERENCES payments,
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'REF-%'),
    approval_id text REFERENCES approval_requests,
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE TYPE plan_status AS ENUM ('active', 'kept', 'broken');

CREATE SEQUENCE plan_number START 2001;

CREATE TABLE payment_plans (
    id text PRIMARY KEY DEFAULT 'PLN-' || nextval('plan_number'),
    lease_id text NOT NULL REFERENCES leases,
    total numeric(8, 2) NOT NULL CHECK (total > 0),
    instalments smallint NOT NULL CHECK (instalments BETWEEN 2 AND 24),
    first_due_on date NOT NULL,
    status plan_status NOT NULL DEFAULT 'active',
    broken_on date,
    approval_id text REFERENCES approval_requests,
    created_at timestamptz NOT NULL DEFAULT clock_now(),
    CONSTRAINT broken_plans_are_dated CHECK ((status = 'broken') = (broken_on IS NOT NULL))
);

CREATE UNIQUE INDEX one_active_plan_a_lease ON payment_plans (lease_id) WHERE status = 'active';

CREATE TYPE deposit_status AS ENUM ('held', 'released');

CREATE TABLE deposits (
    id text PRIMARY KEY CHECK (id ~ '^DPS-[0-9]{4}$'),
    lease_id text NOT NULL UNIQUE REFERENCES leases,
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    status deposit_status NOT NULL DEFAULT 'held',
    released_amount numeric(8, 2),
    released_to text REFERENCES customers,
    CONSTRAINT released_deposits_say_how_much_and_to_whom
        CHECK ((status = 'released') = (released_amount IS NOT NULL AND released_to IS NOT NULL)),
    CONSTRAINT no_more_is_released_than_was_held CHECK (released_amount <= amount)
);

CREATE TABLE deductions (
    deposit_id text NOT NULL REFERENCES deposits,
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'DED-%'),
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    PRIMARY KEY (deposit_id, reason)
);

CREATE TYPE inspection_kind AS ENUM ('check_in', 'routine', 'check_out');

-- What an inspector found, and what it costs to put right.
CREATE TABLE inspections (
    id text PRIMARY KEY CHECK (id ~ '^INS-[0-9]{4}$'),
    lease_id text NOT NULL REFERENCES leases,
    kind inspection_kind NOT NULL,
    done_on date NOT NULL,
    damage_cost numeric(8, 2) NOT NULL DEFAULT 0,
    cleaning_cost numeric(8, 2) NOT NULL DEFAULT 0,
    wear_cost numeric(8, 2) NOT NULL DEFAULT 0,
    findings text NOT NULL
);

CREATE TABLE contractors (
    id text PRIMARY KEY CHECK (id ~ '^CTR-[0-9]{2}$'),
    name text NOT NULL,
    trade text NOT NULL REFERENCES codes CHECK (trade LIKE 'TRD-%'),
    price numeric(8, 2) NOT NULL CHECK (price > 0),
    insured_until date NOT NULL,
    active boolean NOT NULL
);

COMMENT ON COLUMN contractors.price IS 'What an ordinary job of this trade costs.';

CREATE TABLE contractor_slots (
    id text PRIMARY KEY CHECK (id ~ '^VSL-[0-9]{4}$'),
    contractor_id text NOT NULL REFERENCES contractors,
    starts_at timestamptz NOT NULL,
    taken boolean NOT NULL DEFAULT false
);

CREATE TYPE job_status AS ENUM ('reported', 'booked', 'done', 'cancelled');

CREATE SEQUENCE job_number START 8001;

CREATE TABLE repair_jobs (
    id text PRIMARY KEY DEFAULT 'JOB-' || nextval('job_number'),
    lease_id text NOT NULL REFERENCES leases,
    trade text NOT NULL REFERENCES codes CHECK (trade LIKE 'TRD-%'),
    urgency text NOT NULL REFERENCES codes CHECK (urgency LIKE 'URG-%'),
    fault text NOT NULL CHECK (fault <> ''),
    status job_status NOT NULL DEFAULT 'reported',
    slot_id text REFERENCES contractor_slots,
    reported_at timestamptz NOT NULL DEFAULT clock_now(),
    CONSTRAINT booked_jobs_have_a_visit CHECK (status <> 'booked' OR slot_id IS NOT NULL)
);

CREATE INDEX repair_jobs_by_lease ON repair_jobs (lease_id);

CREATE TYPE notice_status AS ENUM ('running', 'withdrawn', 'complete');

CREATE SEQUENCE notice_number START 6001;

CREATE TABLE notices (
    id text PRIMARY KEY DEFAULT 'NTC-' || nextval('notice_number'),
    lease_id text NOT NULL REFERENCES leases,
    given_on date NOT NULL DEFAULT clock_now()::date,
    ends_on date NOT NULL,
    forwarding_address text,
    status notice_status NOT NULL DEFAULT 'running',
    CONSTRAINT notice_ends_after_it_was_given CHECK (ends_on > given_on)
);

CREATE UNIQUE INDEX one_running_notice_a_lease ON notices (lease_id) WHERE status = 'running';

CREATE TYPE adjustment_status AS ENUM ('served', 'in_force', 'cancelled');

CREATE TABLE rent_adjustments (
    id text PRIMARY KEY CHECK (id ~ '^ADJ-[0-9]{4}$'),
    lease_id text NOT NULL REFERENCES leases,
    old_rent numeric(8, 2) NOT NULL,
    new_rent numeric(8, 2) NOT NULL,
    served_on date NOT NULL,
    effective_on date NOT NULL,
    status adjustment_status NOT NULL,
    cancel_reason text REFERENCES codes CHECK (cancel_reason LIKE 'CAN-%'),
    CONSTRAINT cancelled_adjustments_have_a_reason
        CHECK ((status = 'cancelled') = (cancel_reason IS NOT NULL)),
    CONSTRAINT effective_after_it_was_served CHECK (effective_on > served_on)
);

CREATE SEQUENCE permission_number START 5001;

CREATE TABLE permissions (
    id text PRIMARY KEY DEFAULT 'PRM-' || nextval('permission_number'),
    lease_id text NOT NULL REFERENCES leases,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'PER-%'),
    subject text NOT NULL CHECK (subject <> ''),
    approval_id text REFERENCES approval_requests,
    granted_on date NOT NULL DEFAULT clock_now()::date,
    ended_on date
);

COMMENT ON COLUMN permissions.subject IS 'The person or the animal.';

CREATE SEQUENCE key_number START 4001;

CREATE TYPE key_status AS ENUM ('in_office', 'issued', 'lost');

CREATE TABLE key_sets (
    id text PRIMARY KEY DEFAULT 'KEY-' || nextval('key_number'),
    unit_id text NOT NULL REFERENCES units,
    lease_id text REFERENCES leases,
    status key_status NOT NULL,
    CONSTRAINT issued_keys_have_a_lease CHECK ((status = 'in_office') = (lease_id IS NULL))
);

CREATE TABLE spaces (
    id text PRIMARY KEY CHECK (id ~ '^SPC-[0-9]{4}$'),
    building_id text NOT NULL REFERENCES buildings,
    kind text NOT NULL CHECK (kind IN ('parking', 'storage')),
    accessible boolean NOT NULL DEFAULT false,
    monthly numeric(6, 2) NOT NULL CHECK (monthly > 0)
);

CREATE TABLE space_lets (
    space_id text NOT NULL REFERENCES spaces,
    lease_id text NOT NULL REFERENCES leases,
    starts_on date NOT NULL,
    ends_on date,
    PRIMARY KEY (space_id, lease_id, starts_on),
    CONSTRAINT let_ends_after_it_began CHECK (ends_on >= starts_on)
);

CREATE TYPE complaint_status AS ENUM ('open', 'settled', 'unfounded');

CREATE SEQUENCE complaint_number START 1001;

CREATE TABLE complaints (
    id text PRIMARY KEY DEFAULT 'CPL-' || nextval('complaint_number'),
    lease_id text NOT NULL REFERENCES leases,
    about_unit text NOT NULL REFERENCES units,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'CPK-%'),
    happened_on date NOT NULL,
    status complaint_status NOT NULL DEFAULT 'open',
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

COMMENT ON COLUMN complaints.lease_id IS 'The lease of those who complain.';
