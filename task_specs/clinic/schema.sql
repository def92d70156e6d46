-- Outpatient clinics: who is treated and who may speak for them, who treats them where, what was
-- booked, referred, authorised, prescribed, measured, signed, invoiced and paid.

ALTER TABLE customers ADD CONSTRAINT known_tier CHECK (tier = 'none');

CREATE TABLE rooms (
    id text PRIMARY KEY CHECK (id ~ '^ROM-[QMN][0-9]$'),
    clinic text NOT NULL CHECK (clinic IN ('Quayside', 'Millfield', 'Northgate')),
    step_free boolean NOT NULL,
    equipment text CHECK (equipment IN ('treadmill', 'ultrasound')),
    equipment_out_until date,
    CONSTRAINT only_equipment_is_out CHECK (equipment_out_until IS NULL OR equipment IS NOT NULL)
);

COMMENT ON COLUMN rooms.equipment_out_until IS 'The last day on which it cannot be used.';

CREATE TYPE discipline AS ENUM
    ('general', 'dermatology', 'cardiology', 'physiotherapy', 'imaging', 'nursing');
CREATE TYPE practitioner_status AS ENUM ('active', 'on_leave', 'left');

CREATE TABLE practitioners (
    id text PRIMARY KEY CHECK (id ~ '^PRA-[0-9]{2}$'),
    full_name text NOT NULL,
    discipline discipline NOT NULL,
    status practitioner_status NOT NULL,
    back_on date,
    covered_by text REFERENCES practitioners,
    CONSTRAINT active_needs_no_cover CHECK (status <> 'active' OR covered_by IS NULL),
    CONSTRAINT only_leave_ends CHECK ((status = 'on_leave') = (back_on IS NOT NULL))
);

-- What a practitioner may do beyond the discipline, and until which day.
CREATE TABLE privileges (
    practitioner_id text NOT NULL REFERENCES practitioners,
    code text NOT NULL REFERENCES codes CHECK (code LIKE 'PRV-%'),
    valid_until date NOT NULL,
    PRIMARY KEY (practitioner_id, code)
);

CREATE TYPE appointment_kind AS ENUM ('visit', 'procedure', 'vaccination', 'call');

CREATE TABLE appointment_types (
    code text PRIMARY KEY CHECK (code ~ '^[A-Z]+-[A-Z]+$'),
    name text NOT NULL,
    discipline discipline NOT NULL,
    kind appointment_kind NOT NULL,
    minutes smallint NOT NULL CHECK (minutes > 0),
    price numeric(8, 2) NOT NULL CHECK (price >= 0),
    needs_referral boolean NOT NULL DEFAULT false,
    needs_authorisation boolean NOT NULL DEFAULT false,
    privilege text REFERENCES codes CHECK (privilege LIKE 'PRV-%'),
    equipment text,
    vaccine text,
    vaccine_doses smallint,
    vaccine_interval_days smallint,
    vaccine_min_age_months smallint,
    vaccine_live boolean,
    CONSTRAINT vaccination_has_vaccine CHECK ((kind = 'vaccination') = (vaccine IS NOT NULL)),
    CONSTRAINT vaccine_is_described CHECK (vaccine IS NULL OR (vaccine_doses IS NOT NULL
        AND vaccine_interval_days IS NOT NULL AND vaccine_min_age_months IS NOT NULL
        AND vaccine_live IS NOT NULL))
);

CREATE TYPE patient_status AS ENUM ('active', 'moved', 'deceased');

-- Everybody who is or was treated. Children have no account of their own.
CREATE TABLE patients (
    id text PRIMARY KEY CHECK (id ~ '^PAT-[0-9]{4}$'),
    customer_id text UNIQUE REFERENCES customers,
    full_name text NOT NULL,
    date_of_birth date NOT NULL,
    payer text CHECK (payer IN ('Aurelia Health', 'Comhar Mutual')),
    cover_until date,
    interpreter_language text,
    mobility text NOT NULL DEFAULT 'none' CHECK (mobility IN ('none', 'wheelchair')),
    alert text CHECK (alert IN ('court_order')),
    status patient_status NOT NULL DEFAULT 'active',
    last_visit_on date,
    CONSTRAINT payer_has_cover CHECK ((payer IS NULL) = (cover_until IS NULL))
);

CREATE TYPE proxy_kind AS ENUM ('parent', 'guardian', 'attorney', 'carer');
CREATE TYPE proxy_paper AS ENUM ('seen', 'missing', 'revoked');

-- Who may speak for a patient, on which paper.
CREATE TABLE proxies (
    id text PRIMARY KEY CHECK (id ~ '^PRX-[0-9]{4}$'),
    patient_id text NOT NULL REFERENCES patients,
    customer_id text NOT NULL REFERENCES customers,
    kind proxy_kind NOT NULL,
    scope text NOT NULL CHECK (scope IN ('booking', 'full')),
    paper proxy_paper NOT NULL,
    valid_from date NOT NULL,
    valid_until date,
    UNIQUE (patient_id, customer_id),
    CONSTRAINT ends_after_it_began CHECK (valid_until >= valid_from)
);

CREATE TYPE referral_status AS ENUM ('active', 'replaced', 'cancelled');

CREATE TABLE referrals (
    id text PRIMARY KEY CHECK (id ~ '^RFR-[0-9]{4}$'),
    patient_id text NOT NULL REFERENCES patients,
    discipline discipline NOT NULL,
    referrer text NOT NULL,
    urgency text NOT NULL CHECK (urgency IN ('routine', 'urgent')),
    issued_on date NOT NULL,
    valid_until date NOT NULL,
    visits_allowed smallint NOT NULL CHECK (visits_allowed > 0),
    status referral_status NOT NULL DEFAULT 'active',
    CONSTRAINT valid_after_issue CHECK (valid_until >= issued_on)
);

CREATE INDEX referrals_by_patient ON referrals (patient_id);

CREATE TYPE authorisation_status AS ENUM ('requested', 'approved', 'denied');

CREATE SEQUENCE authorisation_number START 5001;

-- What a payer was asked to cover, and what it answered.
CREATE TABLE authorisations (
    id text PRIMARY KEY DEFAULT 'AUT-' || nextval('authorisation_number'),
    patient_id text NOT NULL REFERENCES patients,
    payer text NOT NULL,
    type_code text NOT NULL REFERENCES appointment_types,
    referral_id text REFERENCES referrals,
    status authorisation_status NOT NULL DEFAULT 'requested',
    requested_at timestamptz NOT NULL DEFAULT clock_now(),
    decided_on date,
    valid_from date,
    valid_until date,
    visits_allowed smallint,
    CONSTRAINT decision_is_dated CHECK ((status = 'requested') = (decided_on IS NULL)),
    CONSTRAINT approval_is_bounded CHECK ((status = 'approved') = (valid_from IS NOT NULL
        AND valid_until IS NOT NULL AND visits_allowed IS NOT NULL))
);

CREATE INDEX authorisations_by_patient ON authorisations (patient_id);

CREATE TYPE slot_status AS ENUM ('free', 'booked', 'blocked');

CREATE TABLE slots (
    id text PRIMARY KEY CHECK (id ~ '^SLT-[0-9]{4}$'),
    practitioner_id text NOT NULL REFERENCES practitioners,
    room_id text NOT NULL REFERENCES rooms,
    starts_at timestamptz NOT NULL,
    minutes smallint NOT NULL CHECK (minutes > 0),
    reserved_for text CHECK (reserved_for IN ('urgent')),
    status slot_status NOT NULL DEFAULT 'free'
);

CREATE INDEX slots_by_start ON slots (starts_at);

CREATE TYPE waitlist_status AS ENUM ('waiting', 'offered', 'booked', 'lapsed', 'left');

CREATE SEQUENCE waitlist_number START 4001;

CREATE TABLE waitlist_entries (
    id text PRIMARY KEY DEFAULT 'WTL-' || nextval('waitlist_number'),
    patient_id text NOT NULL REFERENCES patients,
    type_code text NOT NULL REFERENCES appointment_types,
    clinic text NOT NULL CHECK (clinic IN ('Quayside', 'Millfield', 'Northgate')),
    priority text NOT NULL DEFAULT 'routine' CHECK (priority IN ('routine', 'soon')),
    status waitlist_status NOT NULL DEFAULT 'waiting',
    added_at timestamptz NOT NULL DEFAULT clock_now(),
    offered_slot text REFERENCES slots,
    offered_at timestamptz,
    CONSTRAINT offer_is_dated CHECK ((offered_slot IS NULL) = (offered_at IS NULL)),
    CONSTRAINT offered_has_slot CHECK (status <> 'offered' OR offered_slot IS NOT NULL)
);

CREATE TYPE appointment_status AS ENUM ('booked', 'completed', 'cancelled', 'no_show');

CREATE SEQUENCE appointment_number START 9001;

CREATE TABLE appointments (
    id text PRIMARY KEY DEFAULT 'APT-' || nextval('appointment_number'),
    patient_id text NOT NULL REFERENCES patients,
    type_code text NOT NULL REFERENCES appointment_types,
    slot_id text NOT NULL REFERENCES slots,
    status appointment_status NOT NULL DEFAULT 'booked',
    referral_id text REFERENCES referrals,
    authorisation_id text REFERENCES authorisations,
    self_pay boolean NOT NULL DEFAULT false,
    waitlist_id text REFERENCES waitlist_entries,
    moves smallint NOT NULL DEFAULT 0 CHECK (moves >= 0),
    interpreter_language text,
    interpreter_mode text CHECK (interpreter_mode IN ('in_person', 'phone')),
    booked_at timestamptz NOT NULL DEFAULT clock_now(),
    reminder_sent_at timestamptz,
    cancelled_at timestamptz,
    cancel_reason text REFERENCES codes CHECK (cancel_reason LIKE 'CXL-%'),
    CONSTRAINT cancelled_is_dated CHECK ((status = 'cancelled') = (cancelled_at IS NOT NULL)),
    CONSTRAINT cancelled_has_reason CHECK ((status = 'cancelled') = (cancel_reason IS NOT NULL)),
    CONSTRAINT interpreter_has_mode
        CHECK ((interpreter_language IS NULL) = (interpreter_mode IS NULL)),
    CONSTRAINT covered_or_self_paid CHECK (authorisation_id IS NULL OR NOT self_pay)
);

CREATE UNIQUE INDEX one_appointment_a_slot ON appointments (slot_id) WHERE status <> 'cancelled';
CREATE INDEX appointments_by_patient ON appointments (patient_id);

COMMENT ON COLUMN appointments.moves IS 'How often the patient moved it; moves by the clinic do not count.';

CREATE TYPE invoice_status AS ENUM ('open', 'paid', 'waived', 'cancelled');

CREATE SEQUENCE invoice_number START 6001;

CREATE TABLE invoices (
    id text PRIMARY KEY DEFAULT 'INV-' || nextval('invoice_number'),
    patient_id text NOT NULL REFERENCES patients,
    appointment_id text REFERENCES appointments,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'FEE-%'),
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    status invoice_status NOT NULL DEFAULT 'open',
    issued_on date NOT NULL DEFAULT clock_now()::date,
    due_on date NOT NULL DEFAULT clock_now()::date + 30,
    waiver_reason text REFERENCES codes CHECK (waiver_reason LIKE 'WAV-%'),
    approval_id text REFERENCES approval_requests,
    CONSTRAINT waiver_has_reason CHECK ((status = 'waived') = (waiver_reason IS NOT NULL))
);

CREATE INDEX invoices_by_patient ON invoices (patient_id);

CREATE TYPE payment_method AS ENUM ('card', 'cash', 'transfer', 'payer');

CREATE TABLE payments (
    id text PRIMARY KEY CHECK (id ~ '^PMT-[0-9]{4}$'),
    invoice_id text NOT NULL REFERENCES invoices,
    method payment_method NOT NULL,
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    paid_at timestamptz NOT NULL
);

CREATE TYPE refund_status AS ENUM ('issued', 'settled', 'failed');

CREATE SEQUENCE refund_number START 3001;

CREATE TABLE refunds (
    id text PRIMARY KEY DEFAULT 'RBT-' || nextval('refund_number'),
    payment_id text NOT NULL REFERENCES payments,
    amount numeric(8, 2) NOT NULL CHECK (amount > 0),
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'REF-%'),
    approval_id text REFERENCES approval_requests,
    status refund_status NOT NULL DEFAULT 'issued',
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE TABLE prescriptions (
    id text PRIMARY KEY CHECK (id ~ '^RXP-[0-9]{4}$'),
    patient_id text NOT NULL REFERENCES patients,
    practitioner_id text NOT NULL REFERENCES practitioners,
    drug text NOT NULL,
    strength text NOT NULL,
    controlled boolean NOT NULL DEFAULT false,
    supply_days smallint NOT NULL CHECK (supply_days > 0),
    repeats_left smallint NOT NULL CHECK (repeats_left >= 0),
    last_issued_on date NOT NULL,
    review_due_on date NOT NULL,
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'stopped'))
);

CREATE TYPE repeat_status AS ENUM ('requested', 'issued', 'declined');

CREATE SEQUENCE repeat_number START 2001;

CREATE TABLE repeat_requests (
    id text PRIMARY KEY DEFAULT 'RPT-' || nextval('repeat_number'),
    prescription_id text NOT NULL REFERENCES prescriptions,
    prescriber_id text NOT NULL REFERENCES practitioners,
    kind text NOT NULL CHECK (kind IN ('standard', 'travel', 'bridge')),
    pharmacy text NOT NULL CHECK (pharmacy <> ''),
    status repeat_status NOT NULL DEFAULT 'requested',
    requested_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE TYPE result_status AS ENUM ('pending', 'final', 'superseded');

CREATE TABLE lab_results (
    id text PRIMARY KEY CHECK (id ~ '^LAB-[0-9]{4}$'),
    patient_id text NOT NULL REFERENCES patients,
    ordered_by text NOT NULL REFERENCES practitioners,
    test text NOT NULL,
    sensitive boolean NOT NULL DEFAULT false,
    status result_status NOT NULL,
    collected_on date NOT NULL,
    resulted_on date,
    reviewed_on date,
    release_by text CHECK (release_by IN ('desk', 'practitioner')),
    replaces text REFERENCES lab_results,
    released_at timestamptz,
    released_to text REFERENCES customers,
    CONSTRAINT pending_has_no_result CHECK ((status = 'pending') = (resulted_on IS NULL)),
    CONSTRAINT review_decides_release CHECK ((reviewed_on IS NULL) = (release_by IS NULL)),
    CONSTRAINT released_to_somebody CHECK ((released_at IS NULL) = (released_to IS NULL))
);

CREATE TABLE consents (
    id text PRIMARY KEY CHECK (id ~ '^CNS-[0-9]{4}$'),
    patient_id text NOT NULL REFERENCES patients,
    form text NOT NULL REFERENCES codes CHECK (form LIKE 'FRM-%'),
    type_code text REFERENCES appointment_types,
    signed_by text NOT NULL,
    signed_on date NOT NULL,
    status text NOT NULL CHECK (status IN ('given', 'withdrawn')),
    CONSTRAINT procedure_form_names_type CHECK (form <> 'FRM-PROCEDURE' OR type_code IS NOT NULL)
);

CREATE TYPE record_request_status AS ENUM ('open', 'done', 'refused');

CREATE SEQUENCE record_request_number START 1001;

CREATE TABLE record_requests (
    id text PRIMARY KEY DEFAULT 'RRQ-' || nextval('record_request_number'),
    patient_id text NOT NULL REFERENCES patients,
    kind text NOT NULL REFERENCES codes CHECK (kind LIKE 'REQ-%'),
    detail text NOT NULL CHECK (detail <> ''),
    status record_request_status NOT NULL DEFAULT 'open',
    opened_on date NOT NULL DEFAULT clock_now()::date,
    due_on date NOT NULL DEFAULT clock_now()::date + 30
);

CREATE TABLE vaccinations (
    patient_id text NOT NULL REFERENCES patients,
    vaccine text NOT NULL,
    dose smallint NOT NULL CHECK (dose > 0),
    given_on date NOT NULL,
    PRIMARY KEY (patient_id, vaccine, dose)
);

CREATE TYPE triage_level AS ENUM ('emergency', 'same_day', 'routine');

CREATE SEQUENCE triage_number START 8001;

CREATE TABLE triage_calls (
    id text PRIMARY KEY DEFAULT 'TRI-' || nextval('triage_number'),
    ticket_id text NOT NULL REFERENCES tickets,
    patient_id text REFERENCES patients,
    symptom text NOT NULL REFERENCES codes CHECK (symptom LIKE 'SYM-%'),
    level triage_level NOT NULL,
    logged_at timestamptz NOT NULL DEFAULT clock_now()
);
