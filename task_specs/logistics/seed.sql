-- The world that every task of the domain shares. It is Wednesday, 2026-09-16, ten o'clock UTC.
-- People, shipments and shops that resemble one another do so on purpose.

-- What the codes of the desk stand for.
INSERT INTO codes (
    code, description
) VALUES
    ('TEAM-SECURITY', 'Security desk, blocked persons'),
    ('TEAM-CREDIT', 'Credit control, suspended shippers'),
    ('TEAM-TREASURY', 'Treasury, cash collected at doors'),
    ('TEAM-CUSTOMS', 'Customs brokers'),
    ('TEAM-SAFETY', 'Safety officers for dangerous goods'),
    ('TEAM-SALES', 'Sales, prices and conditions'),
    ('TEAM-DEPOTS', 'Depot managers'),
    ('HOLD-APPROVAL', 'Somebody has yet to decide'),
    ('HOLD-TRACE', 'A trace is running'),
    ('HOLD-PAPERS', 'A document has yet to come in'),
    ('HOLD-CUSTOMS', 'Customs has the papers'),
    ('RES-DONE', 'All that was wanted is carried out'),
    ('RES-PART', 'Some of it carried out, some not'),
    ('RES-NO-RIGHT', 'No right in this shipment or contract'),
    ('RES-NOT-PROVEN', 'The writer did not prove who it is'),
    ('RES-SHIPPER-ONLY', 'A matter for the shipper'),
    ('RES-TOO-LATE', 'Too late for it'),
    ('RES-NOT-OFFERED', 'Not something that Marlfleet does'),
    ('RES-REFUSED', 'Claim examined and turned down'),
    ('RES-NO-CREDIT', 'The charge stands'),
    ('RES-EXPLAINED', 'Told how things are'),
    ('RES-DECLINED', 'Whoever decides has said no'),
    ('RES-WITHDRAWN', 'Wanted no longer, once the cost was known'),
    ('CAT-DELIVERY', 'Delivery and changes to it'),
    ('CAT-CASH', 'Cash on delivery'),
    ('CAT-CUSTOMS', 'Customs and duties'),
    ('CAT-MISSING', 'Missing parcels'),
    ('CAT-CLAIM', 'Loss, damage, delay'),
    ('CAT-SAFETY', 'Leaks, smoke, batteries'),
    ('CAT-PICKUP', 'Collection at the shipper'),
    ('CAT-INVOICE', 'Freight invoices'),
    ('CAT-CONTRACT', 'Contracts and their contacts'),
    ('APV-REDIRECT', 'Another place for valuable goods'),
    ('APV-CLAIM', 'Claim above what the desk pays'),
    ('APV-CREDIT', 'Freight credit above what the desk gives'),
    ('MSG-CHANGE', 'Shipment altered'),
    ('MSG-PROOF', 'Copy of the proof of delivery'),
    ('MSG-CLAIM', 'Claim paid'),
    ('MSG-PICKUP', 'Collection confirmed'),
    ('SCN-IN', 'In through a depot gate'),
    ('SCN-OUT', 'Out through a depot gate'),
    ('SCN-LOADED', 'Loaded onto a van'),
    ('SCN-BADPACK', 'Found badly packed at the belt'),
    ('ATT-NOBODY', 'Nobody opened'),
    ('ATT-ADDRESS', 'House not found'),
    ('ATT-CLOSED', 'Business closed'),
    ('ATT-NOCASH', 'Cash not at hand'),
    ('NOTE-SAFE', 'Leave at a safe place'),
    ('NOTE-NEIGHBOUR', 'Hand to a neighbour'),
    ('NOTE-BELL', 'Bell, gate or floor'),
    ('NOTE-DOG', 'Dog on the grounds'),
    ('RTS-REFUSED', 'Receiver does not want it'),
    ('RTS-DAMAGED', 'Receiver turned it away damaged'),
    ('RTS-RECALLED', 'Sender wants it back'),
    ('STOP-LEAK', 'Leaks or smokes'),
    ('STOP-UNDECLARED', 'Undeclared dangerous goods'),
    ('STOP-PERMIT', 'Dangerous goods without permit'),
    ('PAP-INVOICE', 'Seller''s bill'),
    ('PAP-LICENCE', 'Import permit'),
    ('PAP-IDENTITY', 'Copy of a passport'),
    ('PAP-VALUE', 'Proof of what goods cost'),
    ('PAP-PHOTO', 'Photographs of damage'),
    ('TRC-MISSING', 'Nobody knows where it is'),
    ('TRC-DISPUTE', 'Delivered on paper, disputed'),
    ('CLM-LOSS', 'Lost'),
    ('CLM-DAMAGE', 'Damaged'),
    ('CLM-DELAY', 'Late'),
    ('REJ-EXCLUDED', 'Contents without cover'),
    ('REJ-PACKING', 'Packed badly'),
    ('REJ-NO-DELAY', 'Not late under the terms'),
    ('DG-LITHIUM', 'Lithium batteries'),
    ('DG-FLAMMABLE', 'Flammable liquids'),
    ('DG-CORROSIVE', 'Corrosive substances'),
    ('MIS-DRIVER', 'Our driver stayed away'),
    ('MIS-CLOSED', 'Door shut when the driver came'),
    ('SUR-FREIGHT', 'Freight'),
    ('SUR-WEIGHT', 'Surcharge for weight above the label'),
    ('SUR-REMOTE', 'Surcharge for remote places'),
    ('SUR-REDELIVERY', 'Surcharge for another attempt'),
    ('CRD-SURCHARGE', 'Surcharge taken back'),
    ('CRD-DOUBLE', 'Charged twice'),
    ('CRD-PICKUP', 'Collection that failed through us'),
    ('CHG-ADDRESS', 'Address altered'),
    ('CHG-RECALL', 'Sent back on the sender''s wish');

-- Depots and the areas that they deliver to.
INSERT INTO depots (
    id, city, area
) VALUES
    ('DPT-50', 'Köln', '50'),
    ('DPT-40', 'Düsseldorf', '40'),
    ('DPT-20', 'Hamburg', '20'),
    ('DPT-80', 'München', '80'),
    ('DPT-70', 'Stuttgart', '70'),
    ('DPT-10', 'Berlin', '10'),
    ('DPT-30', 'Hannover', '30'),
    ('DPT-04', 'Leipzig', '04'),
    ('DPT-90', 'Nürnberg', '90'),
    ('DPT-60', 'Frankfurt', '60');

-- Parcel shops, some of them closed.
INSERT INTO shops (
    id, name, street, postal_code, city, max_weight_kg, takes_cod, status
) VALUES
    ('PSH-101', 'Kiosk Ehrenfeld', 'Venloer Straße 210', '50823', 'Köln', 20, true, 'open'),
    ('PSH-102', 'Tabak Sülz', 'Berrenrather Straße 44', '50937', 'Köln', 10, false, 'open'),
    ('PSH-103', 'Copyshop Deutz', 'Mindener Straße 9', '50679', 'Köln', 31.50, true, 'closed'),
    ('PSH-104', 'Schreibwaren Bilk', 'Bilker Allee 77', '40219', 'Düsseldorf', 31.50, true, 'open'),
    ('PSH-105', 'Blumen Flingern', 'Ackerstraße 131', '40233', 'Düsseldorf', 15, false, 'open'),
    ('PSH-106', 'Kiosk Altona', 'Große Bergstraße 160', '20148', 'Hamburg', 10, false, 'open'),
    ('PSH-107', 'Werkzeug Hamm', 'Hammer Landstraße 61', '20537', 'Hamburg', 31.50, true, 'open'),
    ('PSH-108', 'Reisebüro Giesing', 'Tegernseer Landstraße 88', '80539', 'München', 20, true, 'open'),
    ('PSH-109', 'Buchladen Sendling', 'Lindwurmstraße 201', '80337', 'München', 8, false, 'open'),
    ('PSH-110', 'Lotto Ost', 'Neckarstraße 150', '70190', 'Stuttgart', 31.50, false, 'open'),
    ('PSH-111', 'Lotto Süd', 'Böblinger Straße 33', '70199', 'Stuttgart', 31.50, true, 'open'),
    ('PSH-112', 'Späti Wedding', 'Müllerstraße 12', '10115', 'Berlin', 20, false, 'open'),
    ('PSH-113', 'Reinigung Mitte', 'Torstraße 180', '10119', 'Berlin', 31.50, true, 'open'),
    ('PSH-114', 'Bäckerei List', 'Lister Meile 40', '30161', 'Hannover', 12, false, 'open'),
    ('PSH-115', 'Foto Linden', 'Limmerstraße 58', '30451', 'Hannover', 31.50, true, 'closed'),
    ('PSH-116', 'Fahrrad Plagwitz', 'Karl-Heine-Straße 70', '04229', 'Leipzig', 25, true, 'open'),
    ('PSH-117', 'Apotheke Gohlis', 'Lindenthaler Straße 15', '04155', 'Leipzig', 5, false, 'open'),
    ('PSH-118', 'Schuhe Gostenhof', 'Fürther Straße 90', '90429', 'Nürnberg', 20, true, 'open'),
    ('PSH-119', 'Eisen Bornheim', 'Berger Straße 240', '60385', 'Frankfurt', 31.50, false, 'open');

-- What each service promises.
INSERT INTO services (
    code, name, liability_limit, max_attempts, express, identity_check, perishable
) VALUES
    ('ECONOMY', 'Economy', 50, 1, false, false, false),
    ('STANDARD', 'Standard', 500, 2, false, false, false),
    ('EXPRESS', 'Express', 1000, 3, true, false, false),
    ('IDENT', 'Ident', 2500, 3, false, true, false),
    ('FRESH', 'Fresh', 300, 2, true, false, true);

-- Those who send and those who receive.
INSERT INTO customers (
    id, full_name, email, phone, date_of_birth, postal_code, tier, status, created_at, updated_at
) VALUES
    ('CUS-2101', 'Hedda Mittelstaedt', 'hedda.mittelstaedt@seidenpost.example', '+49 151 2330 1001', '1969-03-12', '50321', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2102', 'Tarik Cengiz', 'tarik.cengiz@luftbrief.example', '+49 151 2330 1002', '1977-08-30', '40210', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2103', 'Wibke Osterloh', 'wibke.osterloh@postkorb.example', '+49 151 2330 1003', '1982-01-19', '20099', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2104', 'Leopold Grauvogl', 'leopold.grauvogl@seidenpost.example', '+49 151 2330 1004', '1958-05-05', '80331', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2105', 'Annika Thoben', 'annika.thoben@luftbrief.example', '+49 151 2330 1005', '1991-04-02', '50668', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2106', 'Baptiste Lemoine', 'baptiste.lemoine@postkorb.example', '+49 151 2330 1006', '1986-11-23', '50931', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2107', 'Nikoleta Drakou', 'nikoleta.drakou@seidenpost.example', '+49 151 2330 1007', '1974-02-14', '50996', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2108', 'Sigrun Vollbrecht', 'sigrun.vollbrecht@luftbrief.example', '+49 151 2330 1008', '1980-10-10', '30159', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2109', 'Amadou Keita', 'amadou.keita@postkorb.example', '+49 151 2330 1009', '1993-06-21', '30161', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2110', 'Ceren Aydemir', 'ceren.aydemir@seidenpost.example', '+49 151 2330 1010', '1988-12-01', '10119', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2111', 'Eskil Rønning', 'eskil.ronning@luftbrief.example', '+49 151 2330 1011', '1964-07-07', '20255', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2112', 'Aylin Abendroth', 'aylin.abendroth@postkorb.example', '+49 151 2330 1012', '1955-01-01', '60100', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2113', 'Dieudonné Hirschmann', 'dieudonne.hirschmann@seidenpost.example', '+49 151 2330 1013', '1956-02-06', '70107', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2114', 'Gunnar Ehlers', 'gunnar.ehlers@luftbrief.example', '+49 151 2330 1014', '1957-03-11', '10114', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2115', 'Jovan Boskovic', 'jovan.boskovic@postkorb.example', '+49 151 2330 1015', '1958-04-16', '90121', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2116', 'Meike Iversdal', 'meike.iversdal@seidenpost.example', '+49 151 2330 1016', '1959-05-21', '50128', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2117', 'Parisa Farrokhzad', 'parisa.farrokhzad@luftbrief.example', '+49 151 2330 1017', '1960-06-26', '04135', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2118', 'Selma Cimarosti', 'selma.cimarosti@postkorb.example', '+49 151 2330 1018', '1961-07-04', '80142', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2119', 'Bogdan Jankuhn', 'bogdan.jankuhn@seidenpost.example', '+49 151 2330 1019', '1962-08-09', '50149', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2120', 'Elke Grabowski', 'elke.grabowski@luftbrief.example', '+49 151 2330 1020', '1963-09-14', '20156', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2121', 'Hye-jin Dorfner', 'hye.jin.dorfner@postkorb.example', '+49 151 2330 1021', '1964-10-19', '40163', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2122', 'Katrin Abendroth', 'katrin.abendroth@seidenpost.example', '+49 151 2330 1022', '1965-11-24', '10170', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2123', 'Nadja Hirschmann', 'nadja.hirschmann@luftbrief.example', '+49 151 2330 1023', '1966-12-02', '04177', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2124', 'Quirin Ehlers', 'quirin.ehlers@postkorb.example', '+49 151 2330 1024', '1967-01-07', '80184', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2125', 'Till Boskovic', 'till.boskovic@seidenpost.example', '+49 151 2330 1025', '1968-02-12', '30191', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2126', 'Chiara Iversdal', 'chiara.iversdal@luftbrief.example', '+49 151 2330 1026', '1969-03-17', '90198', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2127', 'Farid Farrokhzad', 'farid.farrokhzad@postkorb.example', '+49 151 2330 1027', '1970-04-22', '40205', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2128', 'Ilse Cimarosti', 'ilse.cimarosti@seidenpost.example', '+49 151 2330 1028', '1971-05-27', '60212', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2129', 'Luis Jankuhn', 'luis.jankuhn@luftbrief.example', '+49 151 2330 1029', '1972-06-05', '80219', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2130', 'Olaf Grabowski', 'olaf.grabowski@postkorb.example', '+49 151 2330 1030', '1973-07-10', '50226', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2131', 'Romy Dorfner', 'romy.dorfner@seidenpost.example', '+49 151 2330 1031', '1974-08-15', '80233', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2132', 'Aylin Boskovic', 'aylin.boskovic@luftbrief.example', '+49 151 2330 1032', '1975-09-20', '30240', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2133', 'Dieudonné Iversdal', 'dieudonne.iversdal@postkorb.example', '+49 151 2330 1033', '1976-10-25', '70247', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2134', 'Gunnar Farrokhzad', 'gunnar.farrokhzad@seidenpost.example', '+49 151 2330 1034', '1977-11-03', '20254', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2135', 'Jovan Cimarosti', 'jovan.cimarosti@luftbrief.example', '+49 151 2330 1035', '1978-12-08', '30261', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2136', 'Meike Jankuhn', 'meike.jankuhn@postkorb.example', '+49 151 2330 1036', '1979-01-13', '20268', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2137', 'Parisa Grabowski', 'parisa.grabowski@seidenpost.example', '+49 151 2330 1037', '1980-02-18', '40275', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2138', 'Selma Dorfner', 'selma.dorfner@luftbrief.example', '+49 151 2330 1038', '1981-03-23', '20282', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2139', 'Bogdan Abendroth', 'bogdan.abendroth@postkorb.example', '+49 151 2330 1039', '1982-04-01', '60289', 'none', 'closed', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2140', 'Elke Hirschmann', 'elke.hirschmann@seidenpost.example', '+49 151 2330 1040', '1983-05-06', '60296', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2141', 'Hye-jin Ehlers', 'hye.jin.ehlers@luftbrief.example', '+49 151 2330 1041', '1984-06-11', '04303', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2142', 'Katrin Boskovic', 'katrin.boskovic@postkorb.example', '+49 151 2330 1042', '1985-07-16', '20310', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2143', 'Nadja Iversdal', 'nadja.iversdal@seidenpost.example', '+49 151 2330 1043', '1986-08-21', '20317', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2144', 'Quirin Farrokhzad', 'quirin.farrokhzad@luftbrief.example', '+49 151 2330 1044', '1987-09-26', '50324', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00'),
    ('CUS-2145', 'Till Cimarosti', 'till.cimarosti@postkorb.example', '+49 151 2330 1045', '1988-10-04', '50331', 'none', 'active', '2024-02-05 08:00+00', '2024-02-05 08:00+00');

-- Shippers.
INSERT INTO contracts (
    id, shipper, status, approver_email, dangerous_goods_permit, signed_on
) VALUES
    ('CTR-311', 'Buchversand Zeisig', 'active', 'versand@buchversandzei.example', false, '2021-02-15'),
    ('CTR-312', 'Modehaus Kolibri', 'active', 'versand@modehauskolibr.example', false, '2022-03-15'),
    ('CTR-313', 'Technik Albers', 'active', 'versand@technikalbers.example', false, '2023-04-15'),
    ('CTR-314', 'Weinkontor Isar', 'active', 'versand@weinkontorisar.example', false, '2024-05-15'),
    ('CTR-315', 'Olivenhandel Drakou', 'active', 'versand@olivenhandeldr.example', false, '2020-06-15'),
    ('CTR-316', 'Stoffe Vollbrecht', 'active', 'versand@stoffevollbrec.example', false, '2021-07-15'),
    ('CTR-317', 'Lampenhaus Ritter', 'active', 'versand@lampenhausritt.example', false, '2022-08-15'),
    ('CTR-318', 'Akkuwelt Nord', 'active', 'versand@akkuweltnord.example', true, '2023-09-15'),
    ('CTR-319', 'Teppich Orient GmbH', 'ended', 'versand@teppichorientg.example', false, '2024-01-15'),
    ('CTR-320', 'Sportkiste Benno', 'suspended', 'versand@sportkistebenn.example', false, '2020-02-15'),
    ('CTR-321', 'Werkstatt Uhrmann', 'active', 'versand@werkstattuhrma.example', true, '2021-03-15'),
    ('CTR-322', 'Honighof Allgäu', 'active', 'versand@honighofallgau.example', false, '2022-04-15'),
    ('CTR-323', 'Papeterie Mona', 'active', 'versand@papeteriemona.example', false, '2023-05-15'),
    ('CTR-324', 'Reifen Kubitza', 'active', 'versand@reifenkubitza.example', false, '2024-06-15');

INSERT INTO contract_contacts (
    contract_id, customer_id, role
) VALUES
    ('CTR-311', 'CUS-2101', 'owner'),
    ('CTR-312', 'CUS-2102', 'owner'),
    ('CTR-313', 'CUS-2103', 'owner'),
    ('CTR-314', 'CUS-2104', 'owner'),
    ('CTR-315', 'CUS-2107', 'owner'),
    ('CTR-316', 'CUS-2108', 'owner'),
    ('CTR-316', 'CUS-2109', 'dispatcher'),
    ('CTR-317', 'CUS-2112', 'owner'),
    ('CTR-317', 'CUS-2120', 'dispatcher'),
    ('CTR-318', 'CUS-2113', 'owner'),
    ('CTR-318', 'CUS-2121', 'dispatcher'),
    ('CTR-318', 'CUS-2129', 'accounts'),
    ('CTR-319', 'CUS-2114', 'owner'),
    ('CTR-319', 'CUS-2122', 'dispatcher'),
    ('CTR-320', 'CUS-2115', 'owner'),
    ('CTR-320', 'CUS-2123', 'dispatcher'),
    ('CTR-320', 'CUS-2131', 'accounts'),
    ('CTR-321', 'CUS-2116', 'owner'),
    ('CTR-321', 'CUS-2124', 'dispatcher'),
    ('CTR-322', 'CUS-2117', 'owner'),
    ('CTR-322', 'CUS-2125', 'dispatcher'),
    ('CTR-322', 'CUS-2133', 'accounts'),
    ('CTR-323', 'CUS-2118', 'owner'),
    ('CTR-323', 'CUS-2126', 'dispatcher'),
    ('CTR-324', 'CUS-2119', 'owner'),
    ('CTR-324', 'CUS-2127', 'dispatcher'),
    ('CTR-324', 'CUS-2135', 'accounts');

-- Shipments in every status; many lie close to one another.
INSERT INTO shipments (
    id, contract_id, consignee_id, consignee_name, street, postal_code, city, country, service_code,
    status, declared_value, freight, cod_amount, signature_required, address_corrections, shop_id,
    hold_until, due_on, handed_over_on, delivered_on, signed_by, left_at, return_reason, stop_reason
) VALUES
    ('MFL-48007', 'CTR-311', 'CUS-2105', 'Annika Thoben', 'Rosenweg 41', '50668', 'Köln', 'DE', 'STANDARD', 'in_transit', 80, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48014', 'CTR-311', 'CUS-2105', 'Annika Thoben', 'Rosenweg 14', '50668', 'Köln', 'DE', 'STANDARD', 'delivered', 80, 8.90, 0, false, 0, NULL, NULL, '2026-08-03', '2026-08-01', '2026-08-03', 'Thoben', 'door', NULL, NULL),
    ('MFL-48021', 'CTR-312', 'CUS-2106', 'Baptiste Lemoine', 'Bachemer Straße 70', '50931', 'Köln', 'DE', 'STANDARD', 'in_transit', 80, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48028', 'CTR-315', NULL, 'Hotel Rheinblick', 'Uferweg 1', '50679', 'Köln', 'DE', 'STANDARD', 'in_transit', 80, 8.90, 0, false, 1, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48035', 'CTR-316', NULL, 'Atelier Sommer', 'Calenberger Straße 12', '30169', 'Hannover', 'DE', 'STANDARD', 'in_transit', 80, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48042', 'CTR-313', 'CUS-2110', 'Ceren Aydemir', 'Gormannstraße 2', '10119', 'Berlin', 'DE', 'EXPRESS', 'in_transit', 1450, 8.90, 0, false, 0, NULL, NULL, '2026-09-18', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48049', 'CTR-311', 'CUS-2111', 'Eskil Rønning', 'Osterstraße 9', '20255', 'Hamburg', 'DE', 'STANDARD', 'out_for_delivery', 80, 8.90, 0, false, 0, NULL, NULL, '2026-09-16', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48056', 'CTR-317', 'CUS-2112', 'Aylin Abendroth', 'Schulgasse 9', '80303', 'München', 'DE', 'STANDARD', 'announced', 149.90, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', NULL, NULL, NULL, NULL, NULL, NULL),
    ('MFL-48063', 'CTR-318', 'CUS-2117', 'Parisa Farrokhzad', 'Gartenweg 10', '20524', 'Hamburg', 'DE', 'STANDARD', 'in_transit', 25, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48070', 'CTR-319', 'CUS-2122', 'Katrin Abendroth', 'Rosenweg 11', '20710', 'Hamburg', 'DE', 'IDENT', 'out_for_delivery', 780, 4.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48077', 'CTR-320', 'CUS-2127', 'Farid Farrokhzad', 'Lindenallee 12', '40289', 'Düsseldorf', 'DE', 'EXPRESS', 'held', 1250, 8.90, 0, false, 0, NULL, '2026-09-19', '2026-08-27', '2026-08-25', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48084', 'CTR-321', 'CUS-2132', 'Aylin Boskovic', 'Marktgasse 13', '04906', 'Leipzig', 'DE', 'STANDARD', 'at_shop', 320, 4.90, 0, false, 0, 'PSH-118', NULL, '2026-09-04', '2026-09-02', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48091', 'CTR-322', 'CUS-2137', 'Parisa Grabowski', 'Kirchplatz 14', '30221', 'Hannover', 'DE', 'ECONOMY', 'delivered', 1250, 4.90, 0, false, 0, NULL, NULL, '2026-08-09', '2026-08-07', '2026-08-09', 'Reception', 'door', NULL, NULL),
    ('MFL-48098', 'CTR-323', 'CUS-2142', 'Katrin Boskovic', 'Mühlenstraße 15', '04980', 'Leipzig', 'DE', 'EXPRESS', 'delivered', 25, 14.50, 0, false, 0, NULL, NULL, '2026-08-24', '2026-08-22', '2026-08-24', 'Reception', 'neighbour', NULL, NULL),
    ('MFL-48105', 'CTR-324', 'CUS-2113', 'Dieudonné Hirschmann', 'Bergstraße 16', '50251', 'Köln', 'DE', 'STANDARD', 'delivered', 149.90, 14.50, 0, false, 0, NULL, NULL, '2026-08-19', '2026-08-17', '2026-08-19', 'Reception', 'neighbour', NULL, NULL),
    ('MFL-48112', 'CTR-317', 'CUS-2118', 'Selma Cimarosti', 'Am Anger 17', '70838', 'Stuttgart', 'DE', 'STANDARD', 'returning', 60, 4.90, 0, false, 0, NULL, NULL, '2026-08-12', '2026-08-10', NULL, NULL, NULL, 'RTS-REFUSED', NULL),
    ('MFL-48119', 'CTR-318', 'CUS-2123', 'Nadja Hirschmann', 'Hafenstraße 18', '20946', 'Hamburg', 'DE', 'ECONOMY', 'returned', 60, 14.50, 0, false, 0, NULL, NULL, '2026-09-12', '2026-09-10', NULL, NULL, NULL, 'RTS-RECALLED', NULL),
    ('MFL-48126', 'CTR-319', 'CUS-2128', 'Ilse Cimarosti', 'Schulgasse 19', '04233', 'Leipzig', 'DE', 'EXPRESS', 'lost', 149.90, 4.90, 0, false, 0, NULL, NULL, '2026-08-20', '2026-08-18', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48133', 'CTR-320', 'CUS-2133', 'Dieudonné Iversdal', 'Gartenweg 20', '30401', 'Hannover', 'DE', 'STANDARD', 'stopped', 25, 8.90, 0, false, 0, NULL, NULL, '2026-09-09', '2026-09-07', NULL, NULL, NULL, NULL, 'STOP-PERMIT'),
    ('MFL-48140', 'CTR-321', 'CUS-2138', 'Selma Dorfner', 'Rosenweg 21', '04425', 'Leipzig', 'DE', 'EXPRESS', 'in_transit', 1250, 14.50, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48147', 'CTR-322', 'CUS-2143', 'Nadja Iversdal', 'Lindenallee 22', '70611', 'Stuttgart', 'DE', 'ECONOMY', 'delivered', 320, 14.50, 0, false, 0, NULL, NULL, '2026-08-28', '2026-08-26', '2026-08-28', 'Receiver', 'reception', NULL, NULL),
    ('MFL-48154', 'CTR-323', 'CUS-2114', 'Gunnar Ehlers', 'Marktgasse 23', '20701', 'Hamburg', 'DE', 'ECONOMY', 'announced', 149.90, 14.50, 0, false, 0, NULL, NULL, '2026-09-17', NULL, NULL, NULL, NULL, NULL, NULL),
    ('MFL-48161', 'CTR-324', 'CUS-2119', 'Bogdan Jankuhn', 'Kirchplatz 24', '70833', 'Stuttgart', 'DE', 'EXPRESS', 'in_transit', 149.90, 14.50, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48168', 'CTR-317', 'CUS-2124', 'Quirin Ehlers', 'Mühlenstraße 25', '10433', 'Berlin', 'DE', 'EXPRESS', 'out_for_delivery', 780, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48175', 'CTR-318', 'CUS-2129', 'Luis Jankuhn', 'Bergstraße 26', '04453', 'Leipzig', 'DE', 'STANDARD', 'held', 149.90, 14.50, 0, false, 0, NULL, '2026-09-19', '2026-08-28', '2026-08-26', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48182', 'CTR-319', 'CUS-2134', 'Gunnar Farrokhzad', 'Am Anger 27', '10642', 'Berlin', 'DE', 'STANDARD', 'at_shop', 149.90, 14.50, 0, false, 0, 'PSH-105', NULL, '2026-09-04', '2026-09-02', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48189', 'CTR-320', 'CUS-2139', 'Bogdan Abendroth', 'Hafenstraße 28', '10781', 'Berlin', 'DE', 'EXPRESS', 'delivered', 60, 14.50, 0, false, 0, NULL, NULL, '2026-08-16', '2026-08-14', '2026-08-16', 'Reception', 'reception', NULL, NULL),
    ('MFL-48196', 'CTR-321', 'CUS-2144', 'Quirin Farrokhzad', 'Schulgasse 29', '70739', 'Stuttgart', 'DE', 'ECONOMY', 'delivered', 60, 4.90, 0, false, 0, NULL, NULL, '2026-08-11', '2026-08-09', '2026-08-11', 'Reception', 'neighbour', NULL, NULL),
    ('MFL-48203', 'CTR-322', 'CUS-2115', 'Jovan Boskovic', 'Gartenweg 30', '80213', 'München', 'DE', 'EXPRESS', 'delivered', 60, 4.90, 0, false, 0, NULL, NULL, '2026-09-04', '2026-09-02', '2026-09-04', 'Receiver', 'door', NULL, NULL),
    ('MFL-48210', 'CTR-323', 'CUS-2120', 'Elke Grabowski', 'Rosenweg 31', '20778', 'Hamburg', 'DE', 'EXPRESS', 'returning', 320, 8.90, 0, false, 0, NULL, NULL, '2026-08-16', '2026-08-14', NULL, NULL, NULL, 'RTS-RECALLED', NULL),
    ('MFL-48217', 'CTR-324', 'CUS-2125', 'Till Boskovic', 'Lindenallee 32', '80976', 'München', 'DE', 'ECONOMY', 'returned', 149.90, 8.90, 0, false, 0, NULL, NULL, '2026-08-31', '2026-08-29', NULL, NULL, NULL, 'RTS-RECALLED', NULL),
    ('MFL-48224', 'CTR-317', 'CUS-2130', 'Olaf Grabowski', 'Marktgasse 33', '40197', 'Düsseldorf', 'DE', 'IDENT', 'lost', 780, 8.90, 0, false, 0, NULL, NULL, '2026-08-11', '2026-08-09', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48231', 'CTR-318', 'CUS-2135', 'Jovan Cimarosti', 'Kirchplatz 34', '90519', 'Nürnberg', 'DE', 'STANDARD', 'stopped', 60, 8.90, 0, false, 0, NULL, NULL, '2026-08-14', '2026-08-12', NULL, NULL, NULL, NULL, 'STOP-PERMIT'),
    ('MFL-48238', 'CTR-319', 'CUS-2140', 'Elke Hirschmann', 'Mühlenstraße 35', '04236', 'Leipzig', 'DE', 'IDENT', 'in_transit', 320, 4.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48245', 'CTR-320', 'CUS-2145', 'Till Cimarosti', 'Bergstraße 36', '10744', 'Berlin', 'DE', 'IDENT', 'delivered', 780, 14.50, 0, false, 0, NULL, NULL, '2026-09-15', '2026-09-13', '2026-09-15', 'Receiver', 'neighbour', NULL, NULL),
    ('MFL-48252', 'CTR-321', 'CUS-2116', 'Meike Iversdal', 'Am Anger 37', '30488', 'Hannover', 'DE', 'STANDARD', 'announced', 320, 14.50, 0, false, 0, NULL, NULL, '2026-09-17', NULL, NULL, NULL, NULL, NULL, NULL),
    ('MFL-48259', 'CTR-322', 'CUS-2121', 'Hye-jin Dorfner', 'Hafenstraße 38', '20120', 'Hamburg', 'DE', 'EXPRESS', 'in_transit', 149.90, 8.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48266', 'CTR-323', 'CUS-2126', 'Chiara Iversdal', 'Schulgasse 39', '70775', 'Stuttgart', 'DE', 'EXPRESS', 'out_for_delivery', 25, 4.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48273', 'CTR-324', 'CUS-2131', 'Romy Dorfner', 'Gartenweg 40', '80645', 'München', 'DE', 'EXPRESS', 'held', 25, 8.90, 0, false, 0, NULL, '2026-09-19', '2026-08-28', '2026-08-26', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48280', 'CTR-317', 'CUS-2136', 'Meike Jankuhn', 'Rosenweg 41', '80400', 'München', 'DE', 'EXPRESS', 'at_shop', 149.90, 4.90, 0, false, 0, 'PSH-110', NULL, '2026-08-16', '2026-08-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48287', 'CTR-318', 'CUS-2141', 'Hye-jin Ehlers', 'Lindenallee 42', '04825', 'Leipzig', 'DE', 'ECONOMY', 'delivered', 60, 8.90, 0, false, 0, NULL, NULL, '2026-08-13', '2026-08-11', '2026-08-13', 'Neighbour', 'reception', NULL, NULL),
    ('MFL-48294', 'CTR-319', 'CUS-2112', 'Aylin Abendroth', 'Marktgasse 43', '60932', 'Frankfurt', 'DE', 'EXPRESS', 'delivered', 149.90, 8.90, 0, false, 0, NULL, NULL, '2026-08-28', '2026-08-26', '2026-08-28', 'Reception', 'reception', NULL, NULL),
    ('MFL-48301', 'CTR-320', 'CUS-2117', 'Parisa Farrokhzad', 'Kirchplatz 44', '50539', 'Köln', 'DE', 'ECONOMY', 'delivered', 1250, 14.50, 0, false, 0, NULL, NULL, '2026-09-15', '2026-09-13', '2026-09-15', 'Receiver', 'door', NULL, NULL),
    ('MFL-48308', 'CTR-321', 'CUS-2122', 'Katrin Abendroth', 'Mühlenstraße 45', '60403', 'Frankfurt', 'DE', 'EXPRESS', 'returning', 320, 8.90, 0, false, 0, NULL, NULL, '2026-08-10', '2026-08-08', NULL, NULL, NULL, 'RTS-REFUSED', NULL),
    ('MFL-48315', 'CTR-322', 'CUS-2127', 'Farid Farrokhzad', 'Bergstraße 46', '70418', 'Stuttgart', 'DE', 'IDENT', 'returned', 149.90, 14.50, 0, false, 0, NULL, NULL, '2026-09-15', '2026-09-13', NULL, NULL, NULL, 'RTS-RECALLED', NULL),
    ('MFL-48322', 'CTR-323', 'CUS-2132', 'Aylin Boskovic', 'Am Anger 47', '20535', 'Hamburg', 'DE', 'STANDARD', 'lost', 780, 4.90, 0, false, 0, NULL, NULL, '2026-08-16', '2026-08-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48329', 'CTR-324', 'CUS-2137', 'Parisa Grabowski', 'Hafenstraße 48', '40441', 'Düsseldorf', 'DE', 'ECONOMY', 'stopped', 1250, 4.90, 0, false, 0, NULL, NULL, '2026-09-01', '2026-08-30', NULL, NULL, NULL, NULL, 'STOP-PERMIT'),
    ('MFL-48336', 'CTR-317', 'CUS-2142', 'Katrin Boskovic', 'Schulgasse 49', '40729', 'Düsseldorf', 'DE', 'ECONOMY', 'in_transit', 25, 4.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48343', 'CTR-318', 'CUS-2113', 'Dieudonné Hirschmann', 'Gartenweg 50', '20921', 'Hamburg', 'DE', 'STANDARD', 'delivered', 60, 14.50, 0, false, 0, NULL, NULL, '2026-08-28', '2026-08-26', '2026-08-28', 'Receiver', 'neighbour', NULL, NULL),
    ('MFL-48350', 'CTR-319', 'CUS-2118', 'Selma Cimarosti', 'Rosenweg 51', '40386', 'Düsseldorf', 'DE', 'EXPRESS', 'announced', 1250, 4.90, 0, false, 0, NULL, NULL, '2026-09-17', NULL, NULL, NULL, NULL, NULL, NULL),
    ('MFL-48357', 'CTR-320', 'CUS-2123', 'Nadja Hirschmann', 'Lindenallee 52', '60542', 'Frankfurt', 'DE', 'IDENT', 'in_transit', 60, 4.90, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48364', 'CTR-321', 'CUS-2128', 'Ilse Cimarosti', 'Marktgasse 53', '10401', 'Berlin', 'DE', 'ECONOMY', 'out_for_delivery', 60, 14.50, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48371', 'CTR-322', 'CUS-2133', 'Dieudonné Iversdal', 'Kirchplatz 54', '60341', 'Frankfurt', 'DE', 'STANDARD', 'held', 25, 14.50, 0, false, 0, NULL, '2026-09-19', '2026-08-14', '2026-08-12', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48378', 'CTR-323', 'CUS-2138', 'Selma Dorfner', 'Mühlenstraße 55', '70283', 'Stuttgart', 'DE', 'STANDARD', 'at_shop', 320, 14.50, 0, false, 0, 'PSH-113', NULL, '2026-08-13', '2026-08-11', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48385', 'CTR-324', 'CUS-2143', 'Nadja Iversdal', 'Bergstraße 56', '50344', 'Köln', 'DE', 'ECONOMY', 'delivered', 25, 14.50, 0, false, 0, NULL, NULL, '2026-08-25', '2026-08-23', '2026-08-25', 'Reception', 'neighbour', NULL, NULL),
    ('MFL-48392', 'CTR-317', 'CUS-2114', 'Gunnar Ehlers', 'Am Anger 57', '04154', 'Leipzig', 'DE', 'IDENT', 'delivered', 25, 14.50, 0, false, 0, NULL, NULL, '2026-08-16', '2026-08-14', '2026-08-16', 'Reception', 'neighbour', NULL, NULL),
    ('MFL-48399', 'CTR-318', 'CUS-2119', 'Bogdan Jankuhn', 'Hafenstraße 58', '30484', 'Hannover', 'DE', 'EXPRESS', 'delivered', 60, 4.90, 0, false, 0, NULL, NULL, '2026-09-01', '2026-08-30', '2026-09-01', 'Reception', 'reception', NULL, NULL),
    ('MFL-48406', 'CTR-319', 'CUS-2124', 'Quirin Ehlers', 'Schulgasse 59', '80763', 'München', 'DE', 'EXPRESS', 'returning', 320, 4.90, 0, false, 0, NULL, NULL, '2026-08-28', '2026-08-26', NULL, NULL, NULL, 'RTS-RECALLED', NULL),
    ('MFL-48413', 'CTR-320', 'CUS-2129', 'Luis Jankuhn', 'Gartenweg 60', '30137', 'Hannover', 'DE', 'STANDARD', 'returned', 320, 4.90, 0, false, 0, NULL, NULL, '2026-08-23', '2026-08-21', NULL, NULL, NULL, 'RTS-REFUSED', NULL),
    ('MFL-48420', 'CTR-321', 'CUS-2134', 'Gunnar Farrokhzad', 'Rosenweg 1', '20100', 'Hamburg', 'DE', 'EXPRESS', 'lost', 1250, 8.90, 0, false, 0, NULL, NULL, '2026-09-03', '2026-09-01', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48427', 'CTR-322', 'CUS-2139', 'Bogdan Abendroth', 'Lindenallee 2', '04202', 'Leipzig', 'DE', 'STANDARD', 'stopped', 320, 8.90, 0, false, 0, NULL, NULL, '2026-08-27', '2026-08-25', NULL, NULL, NULL, NULL, 'STOP-PERMIT'),
    ('MFL-48434', 'CTR-323', 'CUS-2144', 'Quirin Farrokhzad', 'Marktgasse 3', '20360', 'Hamburg', 'DE', 'EXPRESS', 'in_transit', 60, 14.50, 0, false, 0, NULL, NULL, '2026-09-17', '2026-09-14', NULL, NULL, NULL, NULL, NULL),
    ('MFL-48441', 'CTR-324', 'CUS-2115', 'Jovan Boskovic', 'Kirchplatz 4', '70423', 'Stuttgart', 'DE', 'ECONOMY', 'delivered', 320, 4.90, 0, false, 0, NULL, NULL, '2026-09-05', '2026-09-03', '2026-09-05', 'Neighbour', 'neighbour', NULL, NULL);

INSERT INTO parcels (
    id, shipment_id, content, content_class, dangerous_goods, declared_kg, weighed_kg
) VALUES
    ('PCL-90001', 'MFL-48007', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90002', 'MFL-48014', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90003', 'MFL-48021', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90004', 'MFL-48028', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90005', 'MFL-48035', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90006', 'MFL-48042', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90007', 'MFL-48049', 'Books', 'ordinary', NULL, 2.40, 2.40),
    ('PCL-90008', 'MFL-48056', 'Honey jars', 'food', NULL, 17.30, 17.30),
    ('PCL-90009', 'MFL-48063', 'Vase', 'fragile', NULL, 17.41, 17.41),
    ('PCL-90010', 'MFL-48070', 'Car mats', 'ordinary', NULL, 1.55, 1.65),
    ('PCL-90011', 'MFL-48077', 'Car mats', 'ordinary', NULL, 6.65, 7.45),
    ('PCL-90012', 'MFL-48084', 'Shoes', 'ordinary', NULL, 1.40, 2.20),
    ('PCL-90013', 'MFL-48091', 'Curtains', 'ordinary', NULL, 15.21, 15.21),
    ('PCL-90014', 'MFL-48098', 'Car mats', 'ordinary', NULL, 9.42, 9.52),
    ('PCL-90015', 'MFL-48105', 'Desk lamp', 'fragile', NULL, 17.05, 17.15),
    ('PCL-90016', 'MFL-48112', 'Notebook', 'ordinary', NULL, 2.02, 2.12),
    ('PCL-90017', 'MFL-48119', 'Vase', 'fragile', NULL, 1.82, 1.92),
    ('PCL-90018', 'MFL-48126', 'Shoes', 'ordinary', NULL, 2.96, 2.96),
    ('PCL-90019', 'MFL-48133', 'Notebook', 'ordinary', 'DG-CORROSIVE', 3.37, 3.37),
    ('PCL-90020', 'MFL-48140', 'Curtains', 'ordinary', NULL, 17.58, 18.38),
    ('PCL-90021', 'MFL-48147', 'Honey jars', 'food', NULL, 8.67, 8.77),
    ('PCL-90022', 'MFL-48154', 'Notebook', 'ordinary', NULL, 9.06, 9.06),
    ('PCL-90023', 'MFL-48161', 'Car mats', 'ordinary', NULL, 10.24, 10.34),
    ('PCL-90024', 'MFL-48168', 'Shoes', 'ordinary', NULL, 10.62, 10.72),
    ('PCL-90025', 'MFL-48175', 'Notebook', 'ordinary', NULL, 14.77, 15.57),
    ('PCL-90026', 'MFL-48182', 'Curtains', 'ordinary', NULL, 15.71, 15.71),
    ('PCL-90027', 'MFL-48189', 'Desk lamp', 'fragile', NULL, 5.38, 6.18),
    ('PCL-90028', 'MFL-48196', 'Car mats', 'ordinary', NULL, 14.03, 14.03),
    ('PCL-90029', 'MFL-48203', 'Shoes', 'ordinary', NULL, 11.50, 11.60),
    ('PCL-90030', 'MFL-48210', 'Shoes', 'ordinary', NULL, 3.80, 3.80),
    ('PCL-90031', 'MFL-48217', 'Notebook', 'ordinary', NULL, 13.04, 13.84),
    ('PCL-90032', 'MFL-48224', 'Shoes', 'ordinary', NULL, 6.98, 7.08),
    ('PCL-90033', 'MFL-48231', 'Car mats', 'ordinary', 'DG-CORROSIVE', 6.37, 6.47),
    ('PCL-90034', 'MFL-48238', 'Vase', 'fragile', NULL, 3.16, 3.16),
    ('PCL-90035', 'MFL-48245', 'Notebook', 'ordinary', NULL, 7.12, 7.92),
    ('PCL-90036', 'MFL-48252', 'Curtains', 'ordinary', NULL, 17.59, 18.39),
    ('PCL-90037', 'MFL-48259', 'Car mats', 'ordinary', NULL, 13.44, 13.54),
    ('PCL-90038', 'MFL-48266', 'Honey jars', 'food', NULL, 16.76, 17.56),
    ('PCL-90039', 'MFL-48273', 'Honey jars', 'food', NULL, 1.10, 1.20),
    ('PCL-90040', 'MFL-48280', 'Silver ring', 'valuables', NULL, 14.16, 14.96),
    ('PCL-90041', 'MFL-48287', 'Desk lamp', 'fragile', NULL, 11.75, 11.85),
    ('PCL-90042', 'MFL-48294', 'Shoes', 'ordinary', NULL, 13.27, 13.27),
    ('PCL-90043', 'MFL-48301', 'Curtains', 'ordinary', NULL, 4.84, 5.64),
    ('PCL-90044', 'MFL-48308', 'Curtains', 'ordinary', NULL, 12.53, 13.33),
    ('PCL-90045', 'MFL-48315', 'Vase', 'fragile', NULL, 12.63, 12.63),
    ('PCL-90046', 'MFL-48322', 'Curtains', 'ordinary', NULL, 12.64, 12.64),
    ('PCL-90047', 'MFL-48329', 'Desk lamp', 'fragile', 'DG-CORROSIVE', 5.10, 5.90),
    ('PCL-90048', 'MFL-48336', 'Shoes', 'ordinary', NULL, 12.74, 12.74),
    ('PCL-90049', 'MFL-48343', 'Curtains', 'ordinary', NULL, 12.82, 12.82),
    ('PCL-90050', 'MFL-48350', 'Desk lamp', 'fragile', NULL, 1.17, 1.17),
    ('PCL-90051', 'MFL-48357', 'Vase', 'fragile', NULL, 2.48, 2.48),
    ('PCL-90052', 'MFL-48364', 'Notebook', 'ordinary', NULL, 9.02, 9.02),
    ('PCL-90053', 'MFL-48371', 'Silver ring', 'valuables', NULL, 5.51, 5.61),
    ('PCL-90054', 'MFL-48378', 'Silver ring', 'valuables', NULL, 17.56, 17.56),
    ('PCL-90055', 'MFL-48385', 'Shoes', 'ordinary', NULL, 1.90, 2.70),
    ('PCL-90056', 'MFL-48392', 'Desk lamp', 'fragile', NULL, 17.35, 17.35),
    ('PCL-90057', 'MFL-48399', 'Desk lamp', 'fragile', NULL, 13.59, 13.69),
    ('PCL-90058', 'MFL-48406', 'Notebook', 'ordinary', NULL, 6.27, 6.37),
    ('PCL-90059', 'MFL-48413', 'Silver ring', 'valuables', NULL, 9.51, 9.51),
    ('PCL-90060', 'MFL-48420', 'Curtains', 'ordinary', NULL, 3.84, 4.64),
    ('PCL-90061', 'MFL-48427', 'Vase', 'fragile', 'DG-CORROSIVE', 16.06, 16.06),
    ('PCL-90062', 'MFL-48434', 'Vase', 'fragile', NULL, 1.65, 1.65),
    ('PCL-90063', 'MFL-48441', 'Silver ring', 'valuables', NULL, 13.61, 13.61);

INSERT INTO scans (
    shipment_id, depot_id, code, scanned_at
) VALUES
    ('MFL-48007', 'DPT-50', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48007', 'DPT-50', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48014', 'DPT-50', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48014', 'DPT-50', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48021', 'DPT-50', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48021', 'DPT-50', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48028', 'DPT-50', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48028', 'DPT-50', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48035', 'DPT-30', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48035', 'DPT-30', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48042', 'DPT-10', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48042', 'DPT-10', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48049', 'DPT-20', 'SCN-OUT', '2026-09-14 20:10+00'),
    ('MFL-48049', 'DPT-20', 'SCN-IN', '2026-09-15 04:40+00'),
    ('MFL-48063', 'DPT-20', 'SCN-IN', '2026-09-01 06:20+00'),
    ('MFL-48070', 'DPT-20', 'SCN-IN', '2026-08-28 06:20+00'),
    ('MFL-48077', 'DPT-40', 'SCN-IN', '2026-08-25 06:20+00'),
    ('MFL-48084', 'DPT-04', 'SCN-IN', '2026-09-02 06:20+00'),
    ('MFL-48091', 'DPT-30', 'SCN-IN', '2026-08-07 06:20+00'),
    ('MFL-48098', 'DPT-04', 'SCN-IN', '2026-08-22 06:20+00'),
    ('MFL-48105', 'DPT-50', 'SCN-IN', '2026-08-17 06:20+00'),
    ('MFL-48112', 'DPT-70', 'SCN-IN', '2026-08-10 06:20+00'),
    ('MFL-48119', 'DPT-20', 'SCN-IN', '2026-09-10 06:20+00'),
    ('MFL-48126', 'DPT-04', 'SCN-IN', '2026-08-18 06:20+00'),
    ('MFL-48133', 'DPT-30', 'SCN-IN', '2026-09-07 06:20+00'),
    ('MFL-48140', 'DPT-04', 'SCN-IN', '2026-09-03 06:20+00'),
    ('MFL-48147', 'DPT-70', 'SCN-IN', '2026-08-26 06:20+00'),
    ('MFL-48161', 'DPT-70', 'SCN-IN', '2026-08-21 06:20+00'),
    ('MFL-48168', 'DPT-10', 'SCN-IN', '2026-09-02 06:20+00'),
    ('MFL-48175', 'DPT-04', 'SCN-IN', '2026-08-26 06:20+00'),
    ('MFL-48182', 'DPT-10', 'SCN-IN', '2026-09-02 06:20+00'),
    ('MFL-48189', 'DPT-10', 'SCN-IN', '2026-08-14 06:20+00'),
    ('MFL-48196', 'DPT-70', 'SCN-IN', '2026-08-09 06:20+00'),
    ('MFL-48203', 'DPT-80', 'SCN-IN', '2026-09-02 06:20+00'),
    ('MFL-48210', 'DPT-20', 'SCN-IN', '2026-08-14 06:20+00'),
    ('MFL-48217', 'DPT-80', 'SCN-IN', '2026-08-29 06:20+00'),
    ('MFL-48224', 'DPT-40', 'SCN-IN', '2026-08-09 06:20+00'),
    ('MFL-48231', 'DPT-90', 'SCN-IN', '2026-08-12 06:20+00'),
    ('MFL-48238', 'DPT-04', 'SCN-IN', '2026-09-04 06:20+00'),
    ('MFL-48245', 'DPT-10', 'SCN-IN', '2026-09-13 06:20+00'),
    ('MFL-48259', 'DPT-20', 'SCN-IN', '2026-08-28 06:20+00'),
    ('MFL-48266', 'DPT-70', 'SCN-IN', '2026-08-13 06:20+00'),
    ('MFL-48273', 'DPT-80', 'SCN-IN', '2026-08-26 06:20+00'),
    ('MFL-48280', 'DPT-80', 'SCN-IN', '2026-08-14 06:20+00'),
    ('MFL-48287', 'DPT-04', 'SCN-IN', '2026-08-11 06:20+00'),
    ('MFL-48294', 'DPT-60', 'SCN-IN', '2026-08-26 06:20+00'),
    ('MFL-48301', 'DPT-50', 'SCN-IN', '2026-09-13 06:20+00'),
    ('MFL-48308', 'DPT-60', 'SCN-IN', '2026-08-08 06:20+00'),
    ('MFL-48315', 'DPT-70', 'SCN-IN', '2026-09-13 06:20+00'),
    ('MFL-48322', 'DPT-20', 'SCN-IN', '2026-08-14 06:20+00'),
    ('MFL-48329', 'DPT-40', 'SCN-IN', '2026-08-30 06:20+00'),
    ('MFL-48336', 'DPT-40', 'SCN-IN', '2026-08-19 06:20+00'),
    ('MFL-48343', 'DPT-20', 'SCN-IN', '2026-08-26 06:20+00'),
    ('MFL-48357', 'DPT-60', 'SCN-IN', '2026-08-08 06:20+00'),
    ('MFL-48364', 'DPT-10', 'SCN-IN', '2026-08-13 06:20+00'),
    ('MFL-48371', 'DPT-60', 'SCN-IN', '2026-08-12 06:20+00'),
    ('MFL-48378', 'DPT-70', 'SCN-IN', '2026-08-11 06:20+00'),
    ('MFL-48385', 'DPT-50', 'SCN-IN', '2026-08-23 06:20+00'),
    ('MFL-48392', 'DPT-04', 'SCN-IN', '2026-08-14 06:20+00'),
    ('MFL-48399', 'DPT-30', 'SCN-IN', '2026-08-30 06:20+00'),
    ('MFL-48406', 'DPT-80', 'SCN-IN', '2026-08-26 06:20+00'),
    ('MFL-48413', 'DPT-30', 'SCN-IN', '2026-08-21 06:20+00'),
    ('MFL-48420', 'DPT-20', 'SCN-IN', '2026-09-01 06:20+00'),
    ('MFL-48427', 'DPT-04', 'SCN-IN', '2026-08-25 06:20+00'),
    ('MFL-48434', 'DPT-20', 'SCN-IN', '2026-09-03 06:20+00'),
    ('MFL-48441', 'DPT-70', 'SCN-IN', '2026-09-03 06:20+00');

INSERT INTO attempts (
    shipment_id, outcome, attempted_on
) VALUES
    ('MFL-48084', 'ATT-CLOSED', '2026-09-04'),
    ('MFL-48112', 'ATT-CLOSED', '2026-08-12'),
    ('MFL-48182', 'ATT-NOBODY', '2026-09-04'),
    ('MFL-48210', 'ATT-NOCASH', '2026-08-16'),
    ('MFL-48280', 'ATT-NOCASH', '2026-08-16'),
    ('MFL-48308', 'ATT-NOBODY', '2026-08-10'),
    ('MFL-48378', 'ATT-NOCASH', '2026-08-13'),
    ('MFL-48406', 'ATT-NOCASH', '2026-08-28');

INSERT INTO stops (
    shipment_id, route, driver, position, stop_on
) VALUES
    ('MFL-48049', 'R20-8', 'Ayla Bosnjak', 8, '2026-09-16'),
    ('MFL-48070', 'R20-2', 'Gerd Uhlig', 11, '2026-09-16'),
    ('MFL-48168', 'R10-7', 'Rosa Tunc', 25, '2026-09-16'),
    ('MFL-48266', 'R70-3', 'Piet Calvo', 39, '2026-09-16'),
    ('MFL-48364', 'R10-8', 'Ayla Bosnjak', 53, '2026-09-16');

INSERT INTO documents (
    id, shipment_id, kind, amount, received_on
) VALUES
    ('DCM-701', 'MFL-48126', 'PAP-VALUE', 60, '2026-08-19'),
    ('DCM-702', 'MFL-48224', 'PAP-VALUE', 60, '2026-08-10'),
    ('DCM-703', 'MFL-48322', 'PAP-VALUE', 60, '2026-08-15'),
    ('DCM-704', 'MFL-48420', 'PAP-VALUE', 60, '2026-09-02');

INSERT INTO customs_entries (
    id, shipment_id, status, terms, billed_to, duties, handling_fee, assessed_on, deadline_on
) VALUES
    ('CEN-511', 'MFL-48077', 'cleared', 'DDP', 'shipper', 31.20, 12, '2026-08-20', '2026-08-30'),
    ('CEN-512', 'MFL-48175', 'cleared', 'DDP', 'shipper', 31.20, 12, '2026-08-20', '2026-08-30'),
    ('CEN-513', 'MFL-48224', 'submitted', 'DAP', 'consignee', 0, 12, NULL, '2026-09-28');

INSERT INTO traces (
    id, shipment_id, code, status, opened_on
) VALUES
    ('TRA-5201', 'MFL-48056', 'TRC-MISSING', 'open', '2026-09-01'),
    ('TRA-5202', 'MFL-48126', 'TRC-MISSING', 'found', '2026-08-19'),
    ('TRA-5203', 'MFL-48133', 'TRC-MISSING', 'not_found', '2026-09-08'),
    ('TRA-5204', 'MFL-48210', 'TRC-MISSING', 'found', '2026-08-15'),
    ('TRA-5205', 'MFL-48224', 'TRC-MISSING', 'open', '2026-08-10'),
    ('TRA-5206', 'MFL-48287', 'TRC-MISSING', 'open', '2026-08-12'),
    ('TRA-5207', 'MFL-48322', 'TRC-MISSING', 'not_found', '2026-08-15'),
    ('TRA-5208', 'MFL-48364', 'TRC-MISSING', 'not_found', '2026-08-14'),
    ('TRA-5209', 'MFL-48420', 'TRC-MISSING', 'found', '2026-09-02'),
    ('TRA-5210', 'MFL-48441', 'TRC-MISSING', 'found', '2026-09-04');

-- Old tickets; those of a task come with the task.
INSERT INTO tickets (
    id, requester_email, subject, category, channel, priority, status, hold_reason, resolution,
    reference, created_at, updated_at
) VALUES
    ('TCK-3901', 'aylin.abendroth@postkorb.example', 'Parcel asked for', 'CAT-DELIVERY', 'email', 'normal', 'closed', NULL, 'RES-DONE', 'MFL-48056', '2026-08-10 09:00+00', '2026-08-10 15:00+00'),
    ('TCK-3902', 'dieudonne.hirschmann@seidenpost.example', 'Card in the letterbox', 'CAT-DELIVERY', 'chat', 'normal', 'solved', NULL, 'RES-EXPLAINED', 'MFL-48063', '2026-08-11 09:00+00', '2026-08-11 15:00+00'),
    ('TCK-3903', 'gunnar.ehlers@luftbrief.example', 'Invoice question', 'CAT-INVOICE', 'phone', 'normal', 'pending', NULL, NULL, 'MFL-48070', '2026-08-12 09:00+00', '2026-08-12 15:00+00'),
    ('TCK-3904', 'jovan.boskovic@postkorb.example', 'Driver praised', 'CAT-DELIVERY', 'app', 'normal', 'new', NULL, NULL, 'MFL-48077', '2026-08-13 09:00+00', '2026-08-13 15:00+00'),
    ('TCK-3905', 'meike.iversdal@seidenpost.example', 'Parcel asked for', 'CAT-DELIVERY', 'email', 'normal', 'on_hold', 'HOLD-TRACE', NULL, 'MFL-48084', '2026-08-14 09:00+00', '2026-08-14 15:00+00'),
    ('TCK-3906', 'parisa.farrokhzad@luftbrief.example', 'Card in the letterbox', 'CAT-DELIVERY', 'chat', 'normal', 'open', NULL, NULL, 'MFL-48091', '2026-08-15 09:00+00', '2026-08-15 15:00+00'),
    ('TCK-3907', 'selma.cimarosti@postkorb.example', 'Invoice question', 'CAT-INVOICE', 'phone', 'normal', 'closed', NULL, 'RES-DONE', 'MFL-48098', '2026-08-16 09:00+00', '2026-08-16 15:00+00'),
    ('TCK-3908', 'bogdan.jankuhn@seidenpost.example', 'Driver praised', 'CAT-DELIVERY', 'app', 'normal', 'solved', NULL, 'RES-EXPLAINED', 'MFL-48105', '2026-08-17 09:00+00', '2026-08-17 15:00+00'),
    ('TCK-3909', 'elke.grabowski@luftbrief.example', 'Parcel asked for', 'CAT-DELIVERY', 'email', 'normal', 'pending', NULL, NULL, 'MFL-48112', '2026-08-18 09:00+00', '2026-08-18 15:00+00'),
    ('TCK-3910', 'hye.jin.dorfner@postkorb.example', 'Card in the letterbox', 'CAT-DELIVERY', 'chat', 'normal', 'new', NULL, NULL, 'MFL-48119', '2026-08-19 09:00+00', '2026-08-19 15:00+00'),
    ('TCK-3911', 'katrin.abendroth@seidenpost.example', 'Invoice question', 'CAT-INVOICE', 'phone', 'normal', 'on_hold', 'HOLD-TRACE', NULL, 'MFL-48126', '2026-08-20 09:00+00', '2026-08-20 15:00+00'),
    ('TCK-3912', 'nadja.hirschmann@luftbrief.example', 'Driver praised', 'CAT-DELIVERY', 'app', 'normal', 'open', NULL, NULL, 'MFL-48133', '2026-08-21 09:00+00', '2026-08-21 15:00+00');

INSERT INTO ticket_comments (
    ticket_id, author, is_public, body, created_at
) VALUES
    ('TCK-3901', 'agent', true, 'MFL-48056: looked into on the 10th of August.', '2026-08-10 12:00+00'),
    ('TCK-3902', 'agent', false, 'MFL-48063: looked into on the 11th of August.', '2026-08-11 12:00+00'),
    ('TCK-3903', 'agent', true, 'MFL-48070: looked into on the 12th of August.', '2026-08-12 12:00+00'),
    ('TCK-3904', 'agent', false, 'MFL-48077: looked into on the 13th of August.', '2026-08-13 12:00+00'),
    ('TCK-3905', 'agent', true, 'MFL-48084: looked into on the 14th of August.', '2026-08-14 12:00+00'),
    ('TCK-3906', 'agent', false, 'MFL-48091: looked into on the 15th of August.', '2026-08-15 12:00+00'),
    ('TCK-3907', 'agent', true, 'MFL-48098: looked into on the 16th of August.', '2026-08-16 12:00+00'),
    ('TCK-3908', 'agent', false, 'MFL-48105: looked into on the 17th of August.', '2026-08-17 12:00+00'),
    ('TCK-3909', 'agent', true, 'MFL-48112: looked into on the 18th of August.', '2026-08-18 12:00+00'),
    ('TCK-3910', 'agent', false, 'MFL-48119: looked into on the 19th of August.', '2026-08-19 12:00+00'),
    ('TCK-3911', 'agent', true, 'MFL-48126: looked into on the 20th of August.', '2026-08-20 12:00+00'),
    ('TCK-3912', 'agent', false, 'MFL-48133: looked into on the 21th of August.', '2026-08-21 12:00+00');

INSERT INTO approval_requests (
    id, approval_type, reference, target, approver_email, justification, status, requested_at,
    decided_at, decided_by
) VALUES
    ('APR-1701', 'APV-REDIRECT', 'MFL-48077', 'PSH-104', 'versand@sportkistebenn.example', 'Receiver wants a shop', 'approved', '2026-08-01 09:00+00', '2026-08-02 09:00+00', 'The shipper'),
    ('APR-1702', 'APV-REDIRECT', 'MFL-48084', 'PSH-104', 'versand@werkstattuhrma.example', 'Receiver wants a shop', 'rejected', '2026-08-02 09:00+00', '2026-08-03 09:00+00', 'The shipper'),
    ('APR-1703', 'APV-REDIRECT', 'MFL-48091', 'PSH-104', 'versand@honighofallgau.example', 'Receiver wants a shop', 'withdrawn', '2026-08-03 09:00+00', NULL, NULL),
    ('APR-1704', 'APV-REDIRECT', 'MFL-48098', 'PSH-104', 'versand@papeteriemona.example', 'Receiver wants a shop', 'pending', '2026-08-04 09:00+00', NULL, NULL);

INSERT INTO claims (
    id, shipment_id, code, amount, status, paid_amount, reject_code, opened_on
) VALUES
    ('CLA-7101', 'MFL-48126', 'CLM-LOSS', 60, 'open', NULL, NULL, '2026-08-19'),
    ('CLA-7102', 'MFL-48224', 'CLM-LOSS', 60, 'paid', 60, NULL, '2026-08-10'),
    ('CLA-7103', 'MFL-48322', 'CLM-LOSS', 60, 'rejected', NULL, 'REJ-EXCLUDED', '2026-08-15'),
    ('CLA-7104', 'MFL-48420', 'CLM-LOSS', 60, 'open', NULL, NULL, '2026-09-02');

-- Collections at the shippers.
INSERT INTO pickups (
    id, contract_id, pickup_on, slot, parcels, fee, status, missed_reason
) VALUES
    ('PCK-4101', 'CTR-317', '2026-09-02', 'am', 4, 5.90, 'done', NULL),
    ('PCK-4102', 'CTR-318', '2026-09-03', 'am', 5, 0, 'missed', 'MIS-CLOSED'),
    ('PCK-4103', 'CTR-319', '2026-09-04', 'am', 6, 0, 'cancelled', NULL),
    ('PCK-4104', 'CTR-320', '2026-09-05', 'am', 7, 0, 'done', NULL),
    ('PCK-4105', 'CTR-321', '2026-09-06', 'am', 8, 0, 'done', NULL),
    ('PCK-4106', 'CTR-322', '2026-09-07', 'am', 9, 0, 'missed', 'MIS-CLOSED'),
    ('PCK-4107', 'CTR-323', '2026-09-08', 'am', 10, 0, 'cancelled', NULL),
    ('PCK-4108', 'CTR-324', '2026-09-09', 'am', 11, 0, 'done', NULL);

-- Freight invoices.
INSERT INTO invoices (
    id, contract_id, issued_on, status
) VALUES
    ('INV-6101', 'CTR-317', '2026-07-28', 'paid'),
    ('INV-6102', 'CTR-317', '2026-08-28', 'open'),
    ('INV-6103', 'CTR-318', '2026-07-28', 'paid'),
    ('INV-6104', 'CTR-318', '2026-08-28', 'open'),
    ('INV-6105', 'CTR-319', '2026-07-28', 'paid'),
    ('INV-6106', 'CTR-319', '2026-08-28', 'open'),
    ('INV-6107', 'CTR-320', '2026-07-28', 'paid'),
    ('INV-6108', 'CTR-320', '2026-08-28', 'open'),
    ('INV-6109', 'CTR-321', '2026-07-28', 'paid'),
    ('INV-6110', 'CTR-321', '2026-08-28', 'open'),
    ('INV-6111', 'CTR-322', '2026-07-28', 'paid'),
    ('INV-6112', 'CTR-322', '2026-08-28', 'open'),
    ('INV-6113', 'CTR-323', '2026-07-28', 'paid'),
    ('INV-6114', 'CTR-323', '2026-08-28', 'open'),
    ('INV-6115', 'CTR-324', '2026-07-28', 'paid'),
    ('INV-6116', 'CTR-324', '2026-08-28', 'open');

INSERT INTO invoice_lines (
    invoice_id, line, code, shipment_id, amount
) VALUES
    ('INV-6101', 1, 'SUR-FREIGHT', 'MFL-48056', 8.90),
    ('INV-6101', 2, 'SUR-FREIGHT', 'MFL-48112', 4.90),
    ('INV-6101', 3, 'SUR-FREIGHT', 'MFL-48168', 8.90),
    ('INV-6101', 4, 'SUR-WEIGHT', 'MFL-48056', 3.50),
    ('INV-6102', 1, 'SUR-FREIGHT', 'MFL-48224', 8.90),
    ('INV-6102', 2, 'SUR-FREIGHT', 'MFL-48280', 4.90),
    ('INV-6102', 3, 'SUR-FREIGHT', 'MFL-48336', 4.90),
    ('INV-6102', 4, 'SUR-WEIGHT', 'MFL-48056', 3.50),
    ('INV-6103', 1, 'SUR-FREIGHT', 'MFL-48063', 8.90),
    ('INV-6103', 2, 'SUR-FREIGHT', 'MFL-48119', 14.50),
    ('INV-6103', 3, 'SUR-FREIGHT', 'MFL-48175', 14.50),
    ('INV-6103', 4, 'SUR-WEIGHT', 'MFL-48063', 3.50),
    ('INV-6104', 1, 'SUR-FREIGHT', 'MFL-48231', 8.90),
    ('INV-6104', 2, 'SUR-FREIGHT', 'MFL-48287', 8.90),
    ('INV-6104', 3, 'SUR-FREIGHT', 'MFL-48343', 14.50),
    ('INV-6104', 4, 'SUR-WEIGHT', 'MFL-48063', 3.50),
    ('INV-6105', 1, 'SUR-FREIGHT', 'MFL-48070', 4.90),
    ('INV-6105', 2, 'SUR-FREIGHT', 'MFL-48126', 4.90),
    ('INV-6105', 3, 'SUR-FREIGHT', 'MFL-48182', 14.50),
    ('INV-6105', 4, 'SUR-WEIGHT', 'MFL-48070', 3.50),
    ('INV-6106', 1, 'SUR-FREIGHT', 'MFL-48238', 4.90),
    ('INV-6106', 2, 'SUR-FREIGHT', 'MFL-48294', 8.90),
    ('INV-6106', 3, 'SUR-FREIGHT', 'MFL-48350', 4.90),
    ('INV-6106', 4, 'SUR-WEIGHT', 'MFL-48070', 3.50),
    ('INV-6107', 1, 'SUR-FREIGHT', 'MFL-48077', 8.90),
    ('INV-6107', 2, 'SUR-FREIGHT', 'MFL-48133', 8.90),
    ('INV-6107', 3, 'SUR-FREIGHT', 'MFL-48189', 14.50),
    ('INV-6107', 4, 'SUR-WEIGHT', 'MFL-48077', 3.50),
    ('INV-6108', 1, 'SUR-FREIGHT', 'MFL-48245', 14.50),
    ('INV-6108', 2, 'SUR-FREIGHT', 'MFL-48301', 14.50),
    ('INV-6108', 3, 'SUR-FREIGHT', 'MFL-48357', 4.90),
    ('INV-6108', 4, 'SUR-WEIGHT', 'MFL-48077', 3.50),
    ('INV-6109', 1, 'SUR-FREIGHT', 'MFL-48084', 4.90),
    ('INV-6109', 2, 'SUR-FREIGHT', 'MFL-48140', 14.50),
    ('INV-6109', 3, 'SUR-FREIGHT', 'MFL-48196', 4.90),
    ('INV-6109', 4, 'SUR-WEIGHT', 'MFL-48084', 3.50),
    ('INV-6110', 1, 'SUR-FREIGHT', 'MFL-48252', 14.50),
    ('INV-6110', 2, 'SUR-FREIGHT', 'MFL-48308', 8.90),
    ('INV-6110', 3, 'SUR-FREIGHT', 'MFL-48364', 14.50),
    ('INV-6110', 4, 'SUR-WEIGHT', 'MFL-48084', 3.50),
    ('INV-6111', 1, 'SUR-FREIGHT', 'MFL-48091', 4.90),
    ('INV-6111', 2, 'SUR-FREIGHT', 'MFL-48147', 14.50),
    ('INV-6111', 3, 'SUR-FREIGHT', 'MFL-48203', 4.90),
    ('INV-6111', 4, 'SUR-WEIGHT', 'MFL-48091', 3.50),
    ('INV-6112', 1, 'SUR-FREIGHT', 'MFL-48259', 8.90),
    ('INV-6112', 2, 'SUR-FREIGHT', 'MFL-48315', 14.50),
    ('INV-6112', 3, 'SUR-FREIGHT', 'MFL-48371', 14.50),
    ('INV-6112', 4, 'SUR-WEIGHT', 'MFL-48091', 3.50),
    ('INV-6113', 1, 'SUR-FREIGHT', 'MFL-48098', 14.50),
    ('INV-6113', 2, 'SUR-FREIGHT', 'MFL-48154', 14.50),
    ('INV-6113', 3, 'SUR-FREIGHT', 'MFL-48210', 8.90),
    ('INV-6113', 4, 'SUR-WEIGHT', 'MFL-48098', 3.50),
    ('INV-6114', 1, 'SUR-FREIGHT', 'MFL-48266', 4.90),
    ('INV-6114', 2, 'SUR-FREIGHT', 'MFL-48322', 4.90),
    ('INV-6114', 3, 'SUR-FREIGHT', 'MFL-48378', 14.50),
    ('INV-6114', 4, 'SUR-WEIGHT', 'MFL-48098', 3.50),
    ('INV-6115', 1, 'SUR-FREIGHT', 'MFL-48105', 14.50),
    ('INV-6115', 2, 'SUR-FREIGHT', 'MFL-48161', 14.50),
    ('INV-6115', 3, 'SUR-FREIGHT', 'MFL-48217', 8.90),
    ('INV-6115', 4, 'SUR-WEIGHT', 'MFL-48105', 3.50),
    ('INV-6116', 1, 'SUR-FREIGHT', 'MFL-48273', 8.90),
    ('INV-6116', 2, 'SUR-FREIGHT', 'MFL-48329', 4.90),
    ('INV-6116', 3, 'SUR-FREIGHT', 'MFL-48385', 14.50),
    ('INV-6116', 4, 'SUR-WEIGHT', 'MFL-48105', 3.50);

INSERT INTO credits (
    id, contract_id, reference, line, amount, reason, created_at
) VALUES
    ('CRN-3101', 'CTR-318', 'INV-6103', 4, 3.50, 'CRD-SURCHARGE', '2026-08-05 09:00+00');

INSERT INTO fees (
    id, shipment_id, code, amount
) VALUES
    ('FEE-2101', 'MFL-48112', 'CHG-RECALL', 6.40),
    ('FEE-2102', 'MFL-48210', 'CHG-RECALL', 6.40),
    ('FEE-2103', 'MFL-48308', 'CHG-RECALL', 6.40),
    ('FEE-2104', 'MFL-48406', 'CHG-RECALL', 6.40);

INSERT INTO notifications (
    template, channel, recipient, reference, body, sent_at
) VALUES
    ('MSG-CHANGE', 'email', 'aylin.abendroth@postkorb.example', 'MFL-48056', 'Your parcel comes on another day.', '2026-08-10 10:00+00'),
    ('MSG-CHANGE', 'email', 'dieudonne.hirschmann@seidenpost.example', 'MFL-48063', 'Your parcel comes on another day.', '2026-08-11 10:00+00'),
    ('MSG-CHANGE', 'email', 'gunnar.ehlers@luftbrief.example', 'MFL-48070', 'Your parcel comes on another day.', '2026-08-12 10:00+00'),
    ('MSG-CHANGE', 'email', 'jovan.boskovic@postkorb.example', 'MFL-48077', 'Your parcel comes on another day.', '2026-08-13 10:00+00');
