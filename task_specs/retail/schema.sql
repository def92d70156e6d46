-- An online shop for the home: products and what is in stock, orders and their lines, parcels and
-- what went wrong with them, returns, money that goes back, gift cards and warranties.

ALTER TABLE customers ADD CONSTRAINT known_tier CHECK (tier IN ('none', 'silver', 'gold'));

CREATE TYPE return_class AS ENUM
    ('standard', 'electronics', 'hygiene', 'bulky', 'made_to_order', 'clearance');

CREATE TABLE products (
    id text PRIMARY KEY CHECK (id ~ '^PRD-[0-9]{3}$'),
    name text NOT NULL,
    brand text NOT NULL,
    category text NOT NULL
        CHECK (category IN ('kitchen', 'electronics', 'bedding', 'bath', 'furniture', 'outdoor')),
    return_class return_class NOT NULL,
    warranty_months smallint NOT NULL CHECK (warranty_months >= 0)
);

-- What can be ordered: a product in one size or colour. `on_hand` counts what is free to sell.
CREATE TABLE variants (
    sku text PRIMARY KEY CHECK (sku ~ '^[A-Z0-9]+(-[A-Z0-9]+)+$'),
    product_id text NOT NULL REFERENCES products,
    variant text NOT NULL,
    price numeric(10, 2) NOT NULL CHECK (price > 0),
    on_hand integer NOT NULL CHECK (on_hand >= 0),
    restock_on date,
    discontinued boolean NOT NULL DEFAULT false,
    UNIQUE (product_id, variant)
);

CREATE TYPE promotion_kind AS ENUM ('percent', 'amount', 'free_shipping');

CREATE TABLE promotions (
    code text PRIMARY KEY CHECK (code ~ '^[A-Z0-9]+$'),
    description text NOT NULL,
    kind promotion_kind NOT NULL,
    value numeric(10, 2) NOT NULL CHECK (value >= 0),
    minimum_subtotal numeric(10, 2) NOT NULL DEFAULT 0,
    category text,
    tiers text[] NOT NULL DEFAULT '{none,silver,gold}',
    once_per_customer boolean NOT NULL DEFAULT false,
    starts_on date NOT NULL,
    ends_on date NOT NULL CHECK (ends_on >= starts_on)
);

CREATE TYPE order_kind AS ENUM ('sale', 'replacement');
CREATE TYPE shipping_service AS ENUM ('standard', 'express', 'freight');

CREATE SEQUENCE order_number START 50001;

CREATE TABLE orders (
    number text PRIMARY KEY DEFAULT 'ORD-' || nextval('order_number'),
    customer_id text NOT NULL REFERENCES customers,
    gift_recipient_id text REFERENCES customers,
    kind order_kind NOT NULL DEFAULT 'sale',
    replaces_order text REFERENCES orders,
    replacement_reason text REFERENCES codes CHECK (replacement_reason LIKE 'RPL-%'),
    approval_id text REFERENCES approval_requests,
    placed_at timestamptz NOT NULL DEFAULT clock_now(),
    shipping_service shipping_service NOT NULL DEFAULT 'standard',
    shipping_fee numeric(10, 2) NOT NULL DEFAULT 0 CHECK (shipping_fee >= 0),
    promotion_code text REFERENCES promotions,
    ship_name text NOT NULL,
    ship_street text NOT NULL,
    ship_postal_code text NOT NULL,
    ship_city text NOT NULL,
    ship_country text NOT NULL CHECK (ship_country ~ '^[A-Z]{2}$'),
    updated_at timestamptz NOT NULL DEFAULT clock_now(),
    CONSTRAINT replacement_has_origin CHECK (
        (kind = 'replacement') = (replaces_order IS NOT NULL)
        AND (kind = 'replacement') = (replacement_reason IS NOT NULL))
);

CREATE INDEX orders_by_customer ON orders (customer_id);

COMMENT ON COLUMN orders.gift_recipient_id IS 'Set where the order was placed as a gift.';

CREATE TYPE shipment_status AS ENUM
    ('label_created', 'in_transit', 'exception', 'delivered', 'returning', 'returned', 'lost');

CREATE SEQUENCE shipment_number START 70001;

CREATE TABLE shipments (
    id text PRIMARY KEY DEFAULT 'SHP-' || nextval('shipment_number'),
    order_number text NOT NULL REFERENCES orders,
    carrier text NOT NULL CHECK (carrier IN ('Parcelo', 'Nordfracht', 'Quickbird')),
    tracking_number text NOT NULL UNIQUE,
    status shipment_status NOT NULL,
    shipped_at timestamptz,
    promised_on date NOT NULL,
    last_scan_at timestamptz,
    last_scan text,
    delivered_at timestamptz,
    signed_by text,
    CONSTRAINT delivery_is_dated CHECK ((status = 'delivered') = (delivered_at IS NOT NULL))
);

CREATE INDEX shipments_by_order ON shipments (order_number);

CREATE TYPE line_status AS ENUM ('open', 'packing', 'shipped', 'delivered', 'cancelled');

CREATE TABLE order_lines (
    order_number text NOT NULL REFERENCES orders,
    line smallint NOT NULL CHECK (line > 0),
    sku text NOT NULL REFERENCES variants,
    quantity smallint NOT NULL CHECK (quantity > 0),
    cancelled_quantity smallint NOT NULL DEFAULT 0,
    unit_price numeric(10, 2) NOT NULL CHECK (unit_price >= 0),
    unit_discount numeric(10, 2) NOT NULL DEFAULT 0,
    status line_status NOT NULL DEFAULT 'open',
    shipment_id text REFERENCES shipments,
    cancel_reason text REFERENCES codes CHECK (cancel_reason LIKE 'CXL-%'),
    PRIMARY KEY (order_number, line),
    CONSTRAINT discount_below_price CHECK (unit_discount BETWEEN 0 AND unit_price),
    CONSTRAINT cancelled_within_ordered CHECK (cancelled_quantity BETWEEN 0 AND quantity),
    CONSTRAINT cancelled_has_reason CHECK ((cancelled_quantity > 0) = (cancel_reason IS NOT NULL)),
    CONSTRAINT all_cancelled CHECK ((status = 'cancelled') = (cancelled_quantity = quantity))
);

CREATE INDEX order_lines_by_shipment ON order_lines (shipment_id);

COMMENT ON COLUMN order_lines.unit_discount IS 'Net price paid for one: unit_price - unit_discount.';

CREATE TYPE exception_status AS ENUM ('open', 'resolved');

-- What went wrong on the way, as the carrier or we reported it.
CREATE TABLE carrier_exceptions (
    id bigint GENERATED BY DEFAULT AS IDENTITY (START 9001) PRIMARY KEY,
    shipment_id text NOT NULL REFERENCES shipments,
    code text NOT NULL REFERENCES codes CHECK (code LIKE 'EXC-%'),
    reported_by text NOT NULL DEFAULT 'desk' CHECK (reported_by IN ('carrier', 'desk')),
    status exception_status NOT NULL DEFAULT 'open',
    detail text,
    outcome text REFERENCES codes CHECK (outcome LIKE 'OUT-%'),
    opened_at timestamptz NOT NULL DEFAULT clock_now(),
    resolved_at timestamptz,
    CONSTRAINT resolved_has_outcome CHECK ((status = 'resolved') = (outcome IS NOT NULL)),
    CONSTRAINT resolved_is_dated CHECK ((status = 'resolved') = (resolved_at IS NOT NULL))
);

CREATE INDEX carrier_exceptions_by_shipment ON carrier_exceptions (shipment_id);

CREATE TYPE payment_method AS ENUM ('card', 'wallet', 'gift_card', 'invoice');
CREATE TYPE payment_status AS ENUM ('authorised', 'captured', 'unpaid', 'failed', 'voided');

CREATE SEQUENCE payment_number START 80001;

CREATE TABLE payments (
    id text PRIMARY KEY DEFAULT 'PAY-' || nextval('payment_number'),
    order_number text NOT NULL REFERENCES orders,
    method payment_method NOT NULL,
    instrument text NOT NULL,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    status payment_status NOT NULL,
    paid_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX payments_by_order ON payments (order_number);

COMMENT ON COLUMN payments.instrument IS 'The card''s last digits, the wallet, the gift card''s or invoice''s number.';

CREATE TYPE return_status AS ENUM ('authorised', 'received', 'accepted', 'rejected', 'expired');
CREATE TYPE item_condition AS ENUM ('sealed', 'as_new', 'used', 'damaged', 'incomplete');

CREATE SEQUENCE return_number START 3001;

CREATE TABLE returns (
    id text PRIMARY KEY DEFAULT 'RMA-' || nextval('return_number'),
    order_number text NOT NULL,
    line smallint NOT NULL,
    quantity smallint NOT NULL CHECK (quantity > 0),
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'RSN-%'),
    label_fee numeric(10, 2) NOT NULL CHECK (label_fee >= 0),
    status return_status NOT NULL DEFAULT 'authorised',
    requested_at timestamptz NOT NULL DEFAULT clock_now(),
    received_at timestamptz,
    condition item_condition,
    FOREIGN KEY (order_number, line) REFERENCES order_lines,
    CONSTRAINT received_is_dated
        CHECK (status NOT IN ('received', 'accepted', 'rejected') OR received_at IS NOT NULL)
);

CREATE INDEX returns_by_line ON returns (order_number, line);

CREATE TYPE gift_card_status AS ENUM ('active', 'blocked', 'expired');

CREATE SEQUENCE gift_card_number START 6001;

-- Gift cards that were sold, and those that we gave for money or as a courtesy.
CREATE TABLE gift_cards (
    id text PRIMARY KEY DEFAULT 'GFT-' || nextval('gift_card_number'),
    holder_id text NOT NULL REFERENCES customers,
    initial_amount numeric(10, 2) NOT NULL CHECK (initial_amount > 0),
    balance numeric(10, 2) NOT NULL CHECK (balance >= 0),
    status gift_card_status NOT NULL DEFAULT 'active',
    expires_on date NOT NULL,
    source_order text REFERENCES orders,
    reason text REFERENCES codes CHECK (reason LIKE 'REF-%'),
    approval_id text REFERENCES approval_requests,
    issued_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX gift_cards_by_holder ON gift_cards (holder_id);

COMMENT ON COLUMN gift_cards.reason IS 'Null for a card that was bought.';

CREATE TYPE refund_status AS ENUM ('issued', 'settled', 'failed');

CREATE SEQUENCE refund_number START 4001;

CREATE TABLE refunds (
    id text PRIMARY KEY DEFAULT 'RFD-' || nextval('refund_number'),
    payment_id text NOT NULL REFERENCES payments,
    amount numeric(10, 2) NOT NULL CHECK (amount > 0),
    reason text NOT NULL REFERENCES codes CHECK (reason LIKE 'REF-%'),
    return_id text REFERENCES returns,
    approval_id text REFERENCES approval_requests,
    status refund_status NOT NULL DEFAULT 'issued',
    created_at timestamptz NOT NULL DEFAULT clock_now()
);

CREATE INDEX refunds_by_payment ON refunds (payment_id);

CREATE TYPE warranty_status AS ENUM ('open', 'repaired', 'replaced', 'refunded', 'rejected');

CREATE SEQUENCE warranty_number START 2001;

CREATE TABLE warranty_claims (
    id text PRIMARY KEY DEFAULT 'WAR-' || nextval('warranty_number'),
    order_number text NOT NULL,
    line smallint NOT NULL,
    fault text NOT NULL REFERENCES codes CHECK (fault LIKE 'FLT-%'),
    remedy text NOT NULL CHECK (remedy IN ('repair', 'replacement', 'refund', 'none')),
    status warranty_status NOT NULL DEFAULT 'open',
    opened_at timestamptz NOT NULL DEFAULT clock_now(),
    closed_at timestamptz,
    FOREIGN KEY (order_number, line) REFERENCES order_lines,
    CONSTRAINT closed_is_dated CHECK ((status = 'open') = (closed_at IS NULL))
);

CREATE INDEX warranty_claims_by_line ON warranty_claims (order_number, line);
