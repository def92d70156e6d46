-- The world that every task of this domain begins with. A real one has hundreds of rows.
INSERT INTO codes (code, description) VALUES
    ('CAT-LOAN', 'A loan'),
    ('RES-DONE', 'Everything that was asked is done'),
    ('RES-NOT-POSSIBLE', 'The rules do not allow it'),
    ('RES-NOT-VERIFIED', 'The person could not be verified');

INSERT INTO customers (id, full_name, email, phone, date_of_birth, postal_code) VALUES
    ('CUS-1001', 'Iris Verhoeven', 'iris.verhoeven@postbox.example', '+31 6 5550 0001', '1984-07-21', '3511 AX'),
    ('CUS-1002', 'Tomas Lindgren', 'tomas.lindgren@postbox.example', '+46 70 555 0102', '1971-11-02', '111 29'),
    ('CUS-1003', 'Iris Verhoef', 'iris.verhoef@postbox.example', '+31 6 5550 0003', '1992-02-14', '3512 BK');

INSERT INTO books (id, title, is_reserved) VALUES
    ('BOK-201', 'The Northern Garden', false),
    ('BOK-202', 'Bread for Beginners', true),
    ('BOK-203', 'A Short History of Maps', false);

INSERT INTO loans (id, book_id, customer_id, due) VALUES
    ('LON-301', 'BOK-201', 'CUS-1001', '2026-03-04'),
    ('LON-302', 'BOK-202', 'CUS-1001', '2026-03-06'),
    ('LON-303', 'BOK-203', 'CUS-1003', '2026-03-05');
