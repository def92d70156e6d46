-- A consulting company seen from its service desk: people and contracts, staffing on client projects,
-- accounts, access groups, mailboxes, devices, software, leave, expenses, advances and time.

-- `customers` holds the persons whom the desk serves; each of them is an employee with the same id.
ALTER TABLE customers ADD CONSTRAINT staff_has_employee_number CHECK (id ~ '^EMP-[0-9]{4}$');
ALTER TABLE customers ADD CONSTRAINT staff_has_no_tier CHECK (tier = 'none');

CREATE TABLE offices (
    code text PRIMARY KEY CHECK (code ~ '^[A-Z]{3}$'),
    city text NOT NULL,
    country text NOT NULL,
    hotel_limit numeric(8, 2) NOT NULL CHECK (hotel_limit > 0)
);

CREATE TYPE grade AS ENUM
    ('intern', 'analyst', 'consultant', 'manager', 'principal', 'partner', 'specialist');
CREATE TYPE employee_status AS ENUM ('starting', 'active', 'notice', 'on_leave', 'left');

CREATE TABLE employees (
    id text PRIMARY KEY REFERENCES customers,
    grade grade NOT NULL,
    practice text NOT NULL CHECK (practice IN
        ('Strategy', 'Operations', 'Digital', 'Deals', 'People', 'Technology', 'Finance', 'Risk')),
    office text NOT NULL REFERENCES offices,
    manager_id text REFERENCES employees,
    manager_approval text REFERENCES approval_requests,
    status employee_status NOT NULL DEFAULT 'active',
    last_day date,
    company_card boolean NOT NULL DEFAULT false,
    carried_over_days numeric(4, 1) NOT NULL DEFAULT 0 CHECK (carried_over_days >= 0),
    email_alias text,
    name_approval text REFERENCES approval_requests,
    CONSTRAINT leaver_has_last_day CHECK ((status IN ('notice', 'left')) = (last_day IS NOT NULL)),
    CONSTRAINT nobody_manages_themselves CHECK (manager_id <> id)
);

CREATE INDEX employees_by_manager ON employees (manager_id);

COMMENT ON COLUMN employees.email_alias IS 'An earlier address that still receives mail.';

CREATE TYPE contract_kind AS ENUM ('permanent', 'fixed_term', 'contractor', 'intern');

CREATE TABLE contracts (
    id text PRIMARY KEY CHECK (id ~ '^CTR-[0-9]{4,5}$'),
    employee_id text NOT NULL REFERENCES employees,
    kind contract_kind NOT NULL,
    annual_leave_days numeric(4, 1) NOT NULL CHECK (annual_leave_days >= 0),
    starts_on date NOT NULL,
    ends_on date,
    signed_on date,
    CONSTRAINT contract_ends_after_start CHECK (ends_on >= starts_on),
    CONSTRAINT only_permanent_is_open_ended CHECK ((kind = 'permanent') OR ends_on IS NOT NULL)
);

CREATE INDEX contracts_by_employee ON contracts (employee_id);

CREATE TYPE account_status AS ENUM ('pending', 'active', 'locked', 'suspended', 'disabled');
CREATE TYPE sign_in_factor AS ENUM ('none', 'app', 'key', 'sms');

CREATE TABLE accounts (
    employee_id text PRIMARY KEY REFERENCES employees,
    username text NOT NULL UNIQUE CHECK (username = lower(username)),
    status account_status NOT NULL DEFAULT 'pending',
    lock_reason text REFERENCES codes CHECK (lock_reason LIKE 'LCK-%'),
    locked_at timestamptz,
    locks_last_30_days smallint NOT NULL DEFAULT 0 CHECK (locks_last_30_days >= 0),
    last_sign_in date,
    factor sign_in_factor NOT NULL DEFAULT 'app',
    factor_reset_on date,
    factor_approval text REFERENCES approval_requests,
    CONSTRAINT lock_has_reason
        CHECK ((status IN ('locked', 'suspended', 'disabled')) = (lock_reason IS NOT NULL))
);

CREATE TABLE clients (
    id text PRIMARY KEY CHECK (id ~ '^CLI-[0-9]{3}$'),
    name text NOT NULL,
    industry text NOT NULL,
    wall_group text
);

COMMENT ON COLUMN clients.wall_group IS 'Clients of one wall group compete with each other.';

CREATE TYPE project_status AS ENUM ('proposed', 'active', 'closing', 'closed');
CREATE TYPE confidentiality AS ENUM ('standard', 'restricted', 'strict');

CREATE TABLE projects (
    code text PRIMARY KEY CHECK (code ~ '^PRJ-[0-9]{3}$'),
    name text NOT NULL,
    client_id text NOT NULL REFERENCES clients,
    partner_id text NOT NULL REFERENCES employees,
    manager_id text NOT NULL REFERENCES employees,
    status project_status NOT NULL,
    confidentiality confidentiality NOT NULL DEFAULT 'standard',
    starts_on date NOT NULL,
    ends_on date NOT NULL CHECK (ends_on >= starts_on)
);

CREATE TYPE assignment_status AS ENUM ('planned', 'confirmed', 'ended', 'cancelled');

CREATE TABLE assignments (
    id text PRIMARY KEY CHECK (id ~ '^ASG-[0-9]{4}$'),
    project_code text NOT NULL REFERENCES projects,
    employee_id text NOT NULL REFERENCES employees,
    percent smallint NOT NULL CHECK (percent BETWEEN 5 AND 100),
    starts_on date NOT NULL,
    ends_on date NOT NULL CHECK (ends_on >= starts_on),
    status assignment_status NOT NULL DEFAULT 'confirmed'
);

CREATE INDEX assignments_by_employee ON assignments (employee_id);
CREATE INDEX assignments_by_project ON assignments (project_code);

CREATE TYPE group_kind AS ENUM ('open', 'project', 'privileged');

CREATE TABLE access_groups (
    code text PRIMARY KEY CHECK (code ~ '^GRP-[A-Z0-9-]+$'),
    name text NOT NULL,
    kind group_kind NOT NULL,
    project_code text REFERENCES projects,
    conflicts_with text REFERENCES access_groups,
    CONSTRAINT project_group_has_project CHECK ((kind = 'project') = (project_code IS NOT NULL))
);

CREATE TYPE membership_status AS ENUM ('active', 'expired', 'revoked');

CREATE SEQUENCE membership_number START 8001;

CREATE TABLE memberships (
    id text PRIMARY KEY DEFAULT 'MEM-' || nextval('membership_number'),
    group_code text NOT NULL REFERENCES access_groups,
    employee_id text NOT NULL REFERENCES employees,
    status membership_status NOT NULL DEFAULT 'active',
    granted_on date NOT NULL DEFAULT clock_now()::date,
    expires_on date CHECK (expires_on >= granted_on),
    approval_id text REFERENCES approval_requests,
    revoke_reason text REFERENCES codes CHECK (revoke_reason LIKE 'RVK-%'),
    CONSTRAINT revoked_has_reason CHECK ((status = 'revoked') = (revoke_reason IS NOT NULL))
);

CREATE UNIQUE INDEX one_active_membership_a_group ON memberships (group_code, employee_id)
    WHERE status = 'active';

CREATE TYPE mailbox_rights AS ENUM ('read', 'send_on_behalf', 'send_as');
CREATE TYPE delegation_status AS ENUM ('active', 'ended');

CREATE SEQUENCE delegation_number START 5001;

CREATE TABLE delegations (
    id text PRIMARY KEY DEFAULT 'DLG-' || nextval('delegation_number'),
    owner_id text NOT NULL REFERENCES employees,
    delegate_id text NOT NULL REFERENCES employees,
    rights mailbox_rights NOT NULL,
    starts_on date NOT NULL DEFAULT clock_now()::date,
    ends_on date CHECK (ends_on >= starts_on),
    status delegation_status NOT NULL DEFAULT 'active',
    approval_id text REFERENCES approval_requests,
    CONSTRAINT delegate_is_somebody_else CHECK (owner_id <> delegate_id)
);

CREATE UNIQUE INDEX one_active_delegation_a_pair ON delegations (owner_id, delegate_id)
    WHERE status = 'active';

CREATE TYPE device_kind AS ENUM ('laptop', 'phone', 'monitor');
CREATE TYPE device_class AS ENUM ('standard', 'premium', 'loaner');
CREATE TYPE device_status AS ENUM ('in_stock', 'assigned', 'repair', 'missing', 'retired');

CREATE TABLE devices (
    tag text PRIMARY KEY CHECK (tag ~ '^DEV-[0-9]{4}$'),
    kind device_kind NOT NULL,
    class device_class NOT NULL DEFAULT 'standard',
    model text NOT NULL,
    office text NOT NULL REFERENCES offices,
    bought_on date NOT NULL,
    status device_status NOT NULL DEFAULT 'in_stock',
    holder_id text REFERENCES employees,
    handed_out_on date,
    missing_reason text REFERENCES codes CHECK (missing_reason LIKE 'LOS-%'),
    missing_since timestamptz,
    approval_id text REFERENCES approval_requests,
    CONSTRAINT held_by_somebody
        CHECK ((status IN ('assigned', 'missing')) = (holder_id IS NOT NULL)),
    CONSTRAINT missing_has_reason CHECK ((status = 'missing') = (missing_reason IS NOT NULL))
);

CREATE INDEX devices_by_holder ON devices (holder_id);

CREATE TYPE licence_class AS ENUM ('open', 'managed', 'restricted');

CREATE TABLE licences (
    code text PRIMARY KEY CHECK (code ~ '^LIC-[A-Z0-9-]+$'),
    name text NOT NULL,
    class licence_class NOT NULL,
    seats_total smallint NOT NULL CHECK (seats_total > 0),
    monthly_cost numeric(8, 2) NOT NULL CHECK (monthly_cost >= 0),
    for_contractors boolean NOT NULL DEFAULT true,
    includes text REFERENCES licences
);

COMMENT ON COLUMN licences.includes IS 'A lesser licence that a seat of this one covers as well.';

CREATE TYPE seat_status AS ENUM ('active', 'released');

CREATE SEQUENCE seat_number START 6001;

CREATE TABLE seats (
    id text PRIMARY KEY DEFAULT 'SEA-' || nextval('seat_number'),
    licence_code text NOT NULL REFERENCES licences,
    employee_id text NOT NULL REFERENCES employees,
    status seat_status NOT NULL DEFAULT 'active',
    assigned_on date NOT NULL DEFAULT clock_now()::date,
    last_used_on date,
    release_reason text REFERENCES codes CHECK (release_reason LIKE 'REL-%'),
    approval_id text REFERENCES approval_requests,
    CONSTRAINT released_has_reason CHECK ((status = 'released') = (release_reason IS NOT NULL))
);

CREATE UNIQUE INDEX one_active_seat_a_licence ON seats (licence_code, employee_id)
    WHERE status = 'active';

CREATE TYPE leave_kind AS ENUM ('annual', 'sick', 'unpaid', 'parental');
CREATE TYPE leave_status AS ENUM ('requested', 'approved', 'rejected', 'cancelled', 'taken');

CREATE SEQUENCE leave_number START 3001;

CREATE TABLE leave_records (
    id text PRIMARY KEY DEFAULT 'LVE-' || nextval('leave_number'),
    employee_id text NOT NULL REFERENCES employees,
    kind leave_kind NOT NULL,
    starts_on date NOT NULL,
    ends_on date NOT NULL CHECK (ends_on >= starts_on),
    working_days smallint NOT NULL CHECK (working_days > 0),
    status leave_status NOT NULL DEFAULT 'approved',
    approval_id text REFERENCES approval_requests
);

CREATE INDEX leave_records_by_employee ON leave_records (employee_id);

CREATE TYPE expense_category AS ENUM ('hotel', 'meal', 'transport', 'entertainment', 'equipment');
CREATE TYPE expense_status AS ENUM ('submitted', 'approved', 'returned', 'rejected', 'paid');

CREATE TABLE expenses (
    id text PRIMARY KEY CHECK (id ~ '^EXP-[0-9]{4}$'),
    employee_id text NOT NULL REFERENCES employees,
    project_code text REFERENCES projects,
    category expense_category NOT NULL,
    office text REFERENCES offices,
    units smallint NOT NULL DEFAULT 1 CHECK (units > 0),
    description text NOT NULL,
    incurred_on date NOT NULL,
    submitted_on date NOT NULL CHECK (submitted_on >= incurred_on),
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    receipt boolean NOT NULL,
    status expense_status NOT NULL DEFAULT 'submitted',
    reason text REFERENCES codes CHECK (reason LIKE 'EXR-%'),
    approval_id text REFERENCES approval_requests,
    decided_at timestamptz,
    CONSTRAINT negative_decision_has_reason
        CHECK ((status IN ('returned', 'rejected')) = (reason IS NOT NULL))
);

CREATE INDEX expenses_by_employee ON expenses (employee_id);

COMMENT ON COLUMN expenses.units IS 'Nights of a hotel, persons at a meal.';
COMMENT ON COLUMN expenses.office IS 'Where a hotel was: the office town whose limit counts.';

CREATE TYPE advance_status AS ENUM ('paid_out', 'settled', 'cancelled');

CREATE SEQUENCE advance_number START 2001;

CREATE TABLE advances (
    id text PRIMARY KEY DEFAULT 'ADV-' || nextval('advance_number'),
    employee_id text NOT NULL REFERENCES employees,
    project_code text NOT NULL REFERENCES projects,
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    trip_starts_on date NOT NULL,
    trip_ends_on date NOT NULL CHECK (trip_ends_on >= trip_starts_on),
    status advance_status NOT NULL DEFAULT 'paid_out',
    approval_id text REFERENCES approval_requests,
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX advances_by_employee ON advances (employee_id);

CREATE TYPE timesheet_status AS ENUM ('open', 'submitted', 'approved', 'invoiced');

-- Hours of one person on one project in one week.
CREATE TABLE timesheets (
    id text PRIMARY KEY CHECK (id ~ '^TSH-[0-9]{4}$'),
    employee_id text NOT NULL REFERENCES employees,
    project_code text NOT NULL REFERENCES projects,
    week_starts_on date NOT NULL CHECK (extract(isodow FROM week_starts_on) = 1),
    hours numeric(5, 2) NOT NULL CHECK (hours BETWEEN 0 AND 80),
    status timesheet_status NOT NULL DEFAULT 'open',
    correction_reason text REFERENCES codes CHECK (correction_reason LIKE 'TSC-%'),
    approval_id text REFERENCES approval_requests,
    UNIQUE (employee_id, project_code, week_starts_on)
);

CREATE TYPE step_status AS ENUM ('open', 'done', 'not_needed');

-- What has to be done when somebody joins or leaves.
CREATE TABLE lifecycle_steps (
    id text PRIMARY KEY CHECK (id ~ '^LCS-[0-9]{4}$'),
    employee_id text NOT NULL REFERENCES employees,
    step text NOT NULL REFERENCES codes CHECK (step LIKE 'JOIN-%' OR step LIKE 'EXIT-%'),
    due_on date NOT NULL,
    status step_status NOT NULL DEFAULT 'open',
    closed_at timestamptz,
    UNIQUE (employee_id, step),
    CONSTRAINT closed_step_is_dated CHECK ((status = 'open') = (closed_at IS NULL))
);

CREATE TYPE incident_status AS ENUM ('open', 'monitoring', 'resolved');

CREATE TABLE incidents (
    id text PRIMARY KEY CHECK (id ~ '^INC-[0-9]{3}$'),
    service text NOT NULL CHECK (service IN ('identity', 'mail', 'expenses', 'network', 'files')),
    summary text NOT NULL,
    status incident_status NOT NULL DEFAULT 'open',
    opened_at timestamptz NOT NULL,
    resolved_at timestamptz,
    CONSTRAINT resolved_incident_is_dated CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
);

CREATE TABLE change_freezes (
    id text PRIMARY KEY CHECK (id ~ '^FRZ-[0-9]{3}$'),
    group_kind group_kind NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz NOT NULL CHECK (ends_at > starts_at),
    reason text NOT NULL
);

COMMENT ON COLUMN change_freezes.group_kind IS 'The kind of access group that the freeze covers.';
