INSERT INTO members (id, full_name, status, tier) VALUES
    ('M01', 'Oksana Hrytsenko', 'active', 'basic'),
    ('M02', 'Tomás Figueroa', 'active', 'gold'),
    ('M03', 'Ingrid Solheim', 'active', 'silver'),
    ('M04', 'Yusuf Demir', 'blocked', 'basic'),
    ('M05', 'Aiko Tanabe', 'active', 'basic'),
    ('M06', 'Peter Vance', 'active', 'silver'),
    ('M07', 'Petra Vance', 'blocked', 'gold'),
    ('M08', 'Chidi Okonkwo', 'active', 'gold'),
    ('M09', 'Louise Arnaud', 'active', 'basic');

INSERT INTO lockers (id, sealed) VALUES
    ('L01', false), ('L02', false), ('L03', true), ('L04', false), ('L05', false),
    ('L06', false), ('L07', true), ('L08', false), ('L09', false);

INSERT INTO rentals (locker_id, member_id, rent, days) VALUES
    ('L01', 'M01', 'paid', 7), ('L02', 'M02', 'overdue', 14), ('L03', 'M03', 'paid', 7),
    ('L04', 'M05', 'ended', 7), ('L05', 'M06', 'overdue', 7), ('L06', 'M07', 'paid', 28),
    ('L07', 'M08', 'paid', 7), ('L08', 'M09', 'paid', 14);

INSERT INTO requests (id, kind, member_id, locker_id, status, reason) VALUES
    ('R01', 'unlock', 'M01', 'L01', 'done', NULL),
    ('R02', 'extend', 'M02', 'L02', 'done', NULL),
    ('R03', 'unlock', 'M03', 'L03', 'waiting', NULL),
    ('R04', 'release', 'M05', 'L04', 'done', NULL),
    ('R05', 'unlock', 'M06', 'L05', 'waiting', NULL),
    ('R06', 'unlock', 'M07', 'L06', 'refused', 'blocked'),
    ('R07', 'unlock', 'M06', 'L06', 'refused', 'stranger'),
    ('R08', 'extend', 'M06', 'L05', 'refused', 'denied'),
    ('R09', 'unlock', 'M09', 'L08', 'open', NULL);

INSERT INTO approvals (id, request_id, decider, status) VALUES
    (1, 'R03', 'security', 'pending'),
    (2, 'R05', 'manager', 'pending'),
    (3, 'R08', 'manager', 'denied');

INSERT INTO openings (id, locker_id, request_id) VALUES
    (1, 'L01', 'R01'), (2, 'L04', 'R04');
