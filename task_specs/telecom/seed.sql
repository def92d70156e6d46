-- The world that every task of the domain shares. It is 2026-03-17, a Tuesday, half past nine.
-- Look-alikes are meant: people, lines, numbers and invoices differ in one detail.

-- What the codes of this desk mean.
INSERT INTO codes (code, description) VALUES
    ('TEAM-FRAUD', 'Fraud and security'),
    ('TEAM-COLLECTIONS', 'Collections: reminders, instalments, late payers'),
    ('TEAM-PORTING', 'Porting: numbers between operators'),
    ('TEAM-BUSINESS', 'Business customers'),
    ('TEAM-CARE', 'Special care: deaths in a household'),
    ('TEAM-BILLING', 'Billing system'),
    ('TEAM-NETWORK', 'Network operations'),
    ('HOLD-APPROVAL', 'Waits for a decision'),
    ('HOLD-PORT', 'Waits for the other operator'),
    ('HOLD-ENGINEER', 'Waits for an engineer''s visit'),
    ('HOLD-NETWORK', 'Waits for the end of an outage'),
    ('HOLD-PAYMENT', 'Waits for a payment that was promised'),
    ('HOLD-DELIVERY', 'Waits for something sent by post'),
    ('RES-DONE', 'Everything that was asked is done'),
    ('RES-PARTLY-DONE', 'One part is done, another was refused'),
    ('RES-NOT-ENTITLED', 'The person may not ask for this'),
    ('RES-NOT-IDENTIFIED', 'The person could not be identified'),
    ('RES-IN-TERM', 'The term or agreement does not allow it yet'),
    ('RES-NO-CREDIT', 'No money is owed'),
    ('RES-OUT-OF-WINDOW', 'A period has passed or is too short'),
    ('RES-UNPAID', 'Overdue invoices stand in the way'),
    ('RES-NOT-POSSIBLE', 'Larkwire does not offer this'),
    ('RES-EXPLAINED', 'A question was answered, nothing had to change'),
    ('RES-DECLINED', 'The approver said no'),
    ('RES-WITHDRAWN', 'The requester no longer wants it'),
    ('CAT-SIM', 'SIM cards, lost phones'),
    ('CAT-PORTING', 'Numbers that come or go'),
    ('CAT-PLAN', 'Plans, add-ons, roaming'),
    ('CAT-DEVICE', 'Devices paid in instalments'),
    ('CAT-BILLING', 'Invoices and credits'),
    ('CAT-PAYMENT', 'Unpaid bills'),
    ('CAT-FAULT', 'Faults, engineers, routers'),
    ('CAT-MOVE', 'Moving house'),
    ('CAT-ENDING', 'Ending a line'),
    ('CAT-ACCOUNT', 'Accounts and contacts'),
    ('CAT-OTHER', 'Anything else'),
    ('APV-CREDIT', 'A credit above the desk''s limit'),
    ('APV-FEE', 'Leaving early without the fee'),
    ('CRE-BILLING-ERROR', 'Charged wrongly'),
    ('CRE-LOST', 'Calls after a phone was lost'),
    ('CRE-PORT-DELAY', 'Number came late'),
    ('CRE-ROAMING', 'Roaming not announced, or above the cap'),
    ('CRE-COURTESY', 'Courtesy for roaming'),
    ('CRE-LATE-FEE', 'Late fee given back'),
    ('CRE-OUTAGE', 'Outage'),
    ('CRE-VISIT', 'Engineer did not come'),
    ('CRE-ROUTER', 'Router came back late'),
    ('SWP-LOST', 'Phone or card lost or stolen'),
    ('SWP-DAMAGED', 'Phone or card broken'),
    ('SWP-FAULTY', 'Card fails without damage'),
    ('SWP-ESIM', 'Change to an eSIM, or a new phone'),
    ('RST-LOST', 'Phone lost or stolen'),
    ('RST-UNPAID', 'Invoices overdue'),
    ('RST-FRAUD', 'Suspected fraud'),
    ('PRJ-PAC', 'The PAC is wrong or has expired'),
    ('PRJ-NAME', 'The name differs at the other operator'),
    ('PRJ-INACTIVE', 'The number has ended at the other operator'),
    ('END-CUSTOMER', 'Ended by the customer'),
    ('END-COOLING-OFF', 'Ended in the first fortnight'),
    ('END-PRICE', 'Ended because of a higher price'),
    ('END-HARDSHIP', 'Ended early for hardship, approved'),
    ('END-NO-COVERAGE', 'Nothing to be had at the new address'),
    ('END-PORTED', 'The number left'),
    ('FLT-NO-SYNC', 'Line has no connection'),
    ('FLT-SLOW', 'Line too slow'),
    ('FLT-DROPS', 'Connection drops in spite of a new router'),
    ('FLT-INSTALL', 'Installation'),
    ('RTR-FAULTY', 'Router failed by itself'),
    ('RTR-DAMAGED', 'Router broken by the customer'),
    ('RTR-SURGE', 'Router struck by lightning'),
    ('RTR-UPGRADE', 'Better router wanted'),
    ('MSG-SIM', 'A new SIM was issued'),
    ('MSG-PAC', 'Your code to move your number'),
    ('MSG-PLAN', 'Your plan was changed'),
    ('MSG-END', 'Your line will end'),
    ('MSG-ROUTER', 'A router is on its way'),
    ('MSG-VISIT', 'An engineer will come'),
    ('MSG-MOVE', 'Your line moves'),
    ('MSG-CONTACT', 'Contacts of your account changed');

INSERT INTO plans (code, name, kind, technology, monthly_fee, data_gb, esim, mbps, addon_days, roaming_zone, on_sale) VALUES
    ('MOB-5', 'Wren 5', 'mobile', NULL, 9.00, 5, false, NULL, NULL, NULL, true),
    ('MOB-20', 'Wren 20', 'mobile', NULL, 14.00, 20, true, NULL, NULL, NULL, true),
    ('MOB-60', 'Swift 60', 'mobile', NULL, 20.00, 60, true, NULL, NULL, NULL, true),
    ('MOB-MAX', 'Swift Unlimited', 'mobile', NULL, 29.00, NULL, true, NULL, NULL, NULL, true),
    ('MOB-20-2023', 'Wren 20 (2023)', 'mobile', NULL, 11.00, 20, false, NULL, NULL, NULL, false),
    ('MOB-MAX-2023', 'Swift Unlimited (2023)', 'mobile', NULL, 24.00, NULL, true, NULL, NULL, NULL, false),
    ('BIZ-10', 'Flock 10', 'mobile', NULL, 12.00, 10, true, NULL, NULL, NULL, true),
    ('BIZ-40', 'Flock 40', 'mobile', NULL, 19.00, 40, true, NULL, NULL, NULL, true),
    ('BIZ-MAX', 'Flock Unlimited', 'mobile', NULL, 27.00, NULL, true, NULL, NULL, NULL, true),
    ('FIB-150', 'Fibre 150', 'broadband', 'fibre', 28.00, NULL, false, 150, NULL, NULL, true),
    ('FIB-500', 'Fibre 500', 'broadband', 'fibre', 34.00, NULL, false, 500, NULL, NULL, true),
    ('FIB-900', 'Fibre 900', 'broadband', 'fibre', 42.00, NULL, false, 900, NULL, NULL, true),
    ('FIB-100-2022', 'Fibre 100 (2022)', 'broadband', 'fibre', 23.00, NULL, false, 100, NULL, NULL, false),
    ('COP-40', 'Copper 40', 'broadband', 'copper', 24.00, NULL, false, 40, NULL, NULL, true),
    ('HOME-5G', 'Home 5G', 'broadband', '5g', 30.00, NULL, false, 150, NULL, NULL, true),
    ('HOME-5G-2024', 'Home 5G (2024)', 'broadband', '5g', 26.00, NULL, false, 100, NULL, NULL, false),
    ('BIZ-FIB-500', 'Flock Fibre 500', 'broadband', 'fibre', 46.00, NULL, false, 500, NULL, NULL, true),
    ('DATA-10', 'Extra 10 GB', 'addon', NULL, 5.00, NULL, false, NULL, NULL, NULL, true),
    ('SECURE', 'Safe browsing', 'addon', NULL, 3.00, NULL, false, NULL, NULL, NULL, true),
    ('INSURE', 'Handset cover', 'addon', NULL, 7.00, NULL, false, NULL, NULL, NULL, true),
    ('CALLS-WORLD', 'World minutes', 'addon', NULL, 6.00, NULL, false, NULL, NULL, NULL, true),
    ('TV-GO', 'TV to go', 'addon', NULL, 8.00, NULL, false, NULL, NULL, NULL, false),
    ('PASS-Z1', 'Europe pass', 'addon', NULL, 8.00, NULL, false, NULL, 7, 1, true),
    ('PASS-Z2', 'World pass', 'addon', NULL, 20.00, NULL, false, NULL, 7, 2, true),
    ('PASS-Z3', 'Far pass', 'addon', NULL, 35.00, NULL, false, NULL, 7, 3, true),
    ('PASS-Z2-2024', 'World pass (2024)', 'addon', NULL, 15.00, NULL, false, NULL, 7, 2, false);

INSERT INTO customers (id, full_name, email, phone, date_of_birth, postal_code, tier, status, created_at, updated_at) VALUES
    ('CUS-2101', 'Maren Aldous', 'maren.aldous@quillpost.example', '+44 20 7946 0001', '1986-04-02', 'LS6 2QT', 'none', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-2102', 'Tunde Bakare', 'tunde.bakare@inboxly.example', '+44 20 7946 0002', '1979-11-23', 'M14 5RR', 'none', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-2103', 'Celestine Roy', 'celestine.roy@ferrymail.example', '+44 20 7946 0003', '1991-07-30', 'BS7 8NN', 'none', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-2104', 'Ingrid Falkenberg', 'ingrid.falkenberg@quillpost.example', '+44 20 7946 0004', '1968-01-17', 'NE2 1XB', 'none', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-2105', 'Rafael Monteiro', 'rafael.monteiro@inboxly.example', '+44 20 7946 0005', '1994-12-05', 'CF24 3AA', 'none', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-2106', 'Gwendolyn Price', 'gwendolyn.price@ferrymail.example', '+44 20 7946 0006', '1973-03-09', 'SA1 4PE', 'plus', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-2107', 'Amara Lindqvist', 'amara.lindqvist@quillpost.example', '+44 20 7946 0007', '2004-08-21', 'EH9 1QN', 'none', 'active', '2023-04-03 09:00+00', '2023-04-03 09:00+00'),
    ('CUS-5107', 'Solveig Lindqvist', 'solveig.lindqvist@inboxly.example', '+44 20 7946 0008', '1975-02-18', 'EH9 1QN', 'premier', 'active', '2021-06-14 09:00+00', '2021-06-14 09:00+00');

INSERT INTO accounts (id, kind, name, status, bill_day, pays_by, priority_service, reminder_level, contact_changed_on, opened_on) VALUES
    ('ACC-3101', 'consumer', 'Maren Aldous', 'active', 8, 'transfer', false, 0, NULL, '2021-06-14'),
    ('ACC-3102', 'consumer', 'Tunde Bakare', 'active', 12, 'direct_debit', false, 0, NULL, '2021-06-14'),
    ('ACC-3103', 'consumer', 'Celestine Roy', 'active', 20, 'card', false, 0, '2026-03-05', '2021-06-14'),
    ('ACC-3104', 'consumer', 'Ingrid Falkenberg', 'active', 24, 'transfer', false, 0, NULL, '2021-06-14'),
    ('ACC-3105', 'consumer', 'Rafael Monteiro', 'active', 3, 'direct_debit', false, 0, NULL, '2021-06-14'),
    ('ACC-3106', 'consumer', 'Gwendolyn Price', 'active', 8, 'card', false, 0, NULL, '2021-06-14'),
    ('ACC-3107', 'consumer', 'Solveig Lindqvist', 'active', 12, 'transfer', false, 0, NULL, '2021-06-14');

INSERT INTO subscriptions (id, account_id, kind, plan_code, number, status, started_on, roaming_cap) VALUES
    ('SUB-5101', 'ACC-3101', 'mobile', 'MOB-5', '07700 900107', 'active', '2025-08-20', 50),
    ('SUB-7101', 'ACC-3101', 'mobile', 'MOB-20', '07700 900114', 'active', '2023-05-11', 50),
    ('SUB-5102', 'ACC-3102', 'mobile', 'MOB-20-2023', '07700 900121', 'active', '2023-02-14', 50),
    ('SUB-5103', 'ACC-3103', 'mobile', 'MOB-60', '07700 900128', 'active', '2022-11-02', 50),
    ('SUB-5104', 'ACC-3104', 'mobile', 'MOB-20', '07700 900135', 'active', '2021-09-01', 50),
    ('SUB-5105', 'ACC-3105', 'mobile', 'MOB-5', '07700 900142', 'active', '2024-01-15', 50),
    ('SUB-5106', 'ACC-3106', 'mobile', 'MOB-5', '07700 900149', 'active', '2023-07-07', 50),
    ('SUB-5107', 'ACC-3107', 'mobile', 'MOB-20', '07700 900156', 'active', '2024-02-01', 50),
    ('SUB-7107', 'ACC-3107', 'mobile', 'MOB-5', '07700 900163', 'active', '2024-02-01', 50);

INSERT INTO account_contacts (account_id, customer_id, role, subscription_id) VALUES
    ('ACC-3101', 'CUS-2101', 'owner', NULL),
    ('ACC-3102', 'CUS-2102', 'owner', NULL),
    ('ACC-3103', 'CUS-2103', 'owner', NULL),
    ('ACC-3104', 'CUS-2104', 'owner', NULL),
    ('ACC-3105', 'CUS-2105', 'owner', NULL),
    ('ACC-3106', 'CUS-2106', 'owner', NULL),
    ('ACC-3107', 'CUS-5107', 'owner', NULL),
    ('ACC-3107', 'CUS-2107', 'user', 'SUB-5107');

INSERT INTO sims (id, subscription_id, kind, status, reason, fee, issued_at, activated_at) VALUES
    ('SIM-60001', 'SUB-5101', 'physical', 'active', NULL, 0, '2025-08-20 11:00+00', '2025-08-20 11:00+00'),
    ('SIM-60002', 'SUB-7101', 'physical', 'active', NULL, 0, '2023-05-11 11:00+00', '2023-05-11 11:00+00'),
    ('SIM-60003', 'SUB-5102', 'physical', 'active', NULL, 0, '2023-02-14 11:00+00', '2023-02-14 11:00+00'),
    ('SIM-60004', 'SUB-5103', 'physical', 'active', NULL, 0, '2022-11-02 11:00+00', '2022-11-02 11:00+00'),
    ('SIM-60005', 'SUB-5104', 'physical', 'retired', NULL, 0, '2021-09-01 11:00+00', '2021-09-01 11:00+00'),
    ('SIM-60006', 'SUB-5104', 'physical', 'active', 'SWP-DAMAGED', 8, '2026-03-05 11:00+00', '2026-03-05 11:00+00'),
    ('SIM-60007', 'SUB-5105', 'physical', 'active', NULL, 0, '2024-01-15 11:00+00', '2024-01-15 11:00+00'),
    ('SIM-60008', 'SUB-5105', 'physical', 'shipped', 'SWP-DAMAGED', 8, '2026-03-08 11:00+00', NULL),
    ('SIM-60009', 'SUB-5106', 'physical', 'active', NULL, 0, '2023-07-07 11:00+00', '2023-07-07 11:00+00'),
    ('SIM-60010', 'SUB-5107', 'physical', 'active', NULL, 0, '2024-02-01 11:00+00', '2024-02-01 11:00+00'),
    ('SIM-60011', 'SUB-7107', 'physical', 'active', NULL, 0, '2024-02-01 11:00+00', '2024-02-01 11:00+00');

INSERT INTO invoices (id, account_id, issued_on, due_on, amount, status) VALUES
    ('INV-7101', 'ACC-3101', '2026-03-03', '2026-03-17', 14.00, 'paid'),
    ('INV-7102', 'ACC-3102', '2026-03-03', '2026-03-17', 11.00, 'paid'),
    ('INV-7103', 'ACC-3103', '2026-03-03', '2026-03-17', 20.00, 'paid'),
    ('INV-7104', 'ACC-3104', '2026-03-03', '2026-03-17', 22.00, 'paid'),
    ('INV-7105', 'ACC-3105', '2026-03-03', '2026-03-17', 9.00, 'paid'),
    ('INV-7106', 'ACC-3106', '2026-03-03', '2026-03-17', 9.00, 'paid'),
    ('INV-7107', 'ACC-3107', '2026-03-03', '2026-03-17', 9.00, 'paid');

INSERT INTO invoice_lines (invoice_id, line, subscription_id, kind, description, charged_on, amount) VALUES
    ('INV-7101', 1, 'SUB-7101', 'plan', 'Wren 20, monthly', NULL, 14.00),
    ('INV-7102', 1, 'SUB-5102', 'plan', 'Wren 20 (2023), monthly', NULL, 11.00),
    ('INV-7103', 1, 'SUB-5103', 'plan', 'Swift 60, monthly', NULL, 20.00),
    ('INV-7104', 1, 'SUB-5104', 'plan', 'Wren 20, monthly', NULL, 14.00),
    ('INV-7104', 2, 'SUB-5104', 'fee', 'New SIM', '2026-03-02', 8.00),
    ('INV-7105', 1, 'SUB-5105', 'plan', 'Wren 5, monthly', NULL, 9.00),
    ('INV-7106', 1, 'SUB-5106', 'plan', 'Wren 5, monthly', NULL, 9.00),
    ('INV-7107', 1, 'SUB-7107', 'plan', 'Wren 5, monthly', NULL, 9.00);

INSERT INTO payments (id, invoice_id, method, amount, status, paid_at) VALUES
    ('PAY-30001', 'INV-7101', 'transfer', 14.00, 'settled', '2026-03-15 06:00+00'),
    ('PAY-30002', 'INV-7102', 'direct_debit', 11.00, 'settled', '2026-03-15 06:00+00'),
    ('PAY-30003', 'INV-7103', 'card', 20.00, 'settled', '2026-03-15 06:00+00'),
    ('PAY-30004', 'INV-7104', 'transfer', 22.00, 'settled', '2026-03-15 06:00+00'),
    ('PAY-30005', 'INV-7105', 'direct_debit', 9.00, 'settled', '2026-03-15 06:00+00'),
    ('PAY-30006', 'INV-7106', 'card', 9.00, 'settled', '2026-03-15 06:00+00'),
    ('PAY-30007', 'INV-7107', 'transfer', 9.00, 'settled', '2026-03-15 06:00+00');

INSERT INTO tickets (id, requester_email, subject, category, channel, status, resolution, created_at, updated_at) VALUES
    ('TCK-1201', 'celestine.roy@ferrymail.example', 'New e-mail address', 'CAT-ACCOUNT', 'email', 'closed', 'RES-DONE', '2026-03-05 08:00+00', '2026-03-05 16:00+00');

INSERT INTO ticket_comments (id, ticket_id, author, is_public, body, created_at) VALUES
    (101, 'TCK-1201', 'agent', true, 'ACC-3103: your e-mail address was changed as you asked.', '2026-03-05 15:00+00');
