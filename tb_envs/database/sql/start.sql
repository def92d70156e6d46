-- The start of an episode: the clock, and the records that differ from the seed, applied as the
-- owner of the tables. A record that does not fit raises TB001 (or PostgreSQL's own data error), and
-- nothing of it stays.
CREATE FUNCTION tb.apply(tab text, op text, "where" jsonb, "set" jsonb) RETURNS void
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    target regclass := to_regclass(format('public.%I', tab));
    unknown text;
    condition text;
    columns text;
    touched bigint;
BEGIN
    IF target IS NULL THEN
        RAISE EXCEPTION 'there is no table %', tab USING ERRCODE = 'TB001';
    END IF;
    SELECT name INTO unknown FROM jsonb_object_keys("where" || "set") AS name
        WHERE NOT EXISTS (SELECT FROM pg_attribute
                          WHERE attrelid = target AND attname = name AND attnum > 0 AND NOT attisdropped);
    IF unknown IS NOT NULL THEN
        RAISE EXCEPTION 'table % has no column %', tab, unknown USING ERRCODE = 'TB001';
    END IF;
    SELECT string_agg(format('t.%1$I IS NOT DISTINCT FROM w.%1$I', name), ' AND ')
        INTO condition FROM jsonb_object_keys("where") AS name;
    IF op = 'insert' THEN
        SELECT string_agg(format('%I', name), ', ') INTO columns FROM jsonb_object_keys("set") AS name;
        EXECUTE format(
            'INSERT INTO %1$s (%2$s) OVERRIDING SYSTEM VALUE '
            'SELECT %2$s FROM jsonb_populate_record(NULL::%1$s, $1)', target, columns) USING "set";
    ELSIF op = 'update' THEN
        SELECT string_agg(format('%1$I = s.%1$I', name), ', ')
            INTO columns FROM jsonb_object_keys("set") AS name;
        EXECUTE format(
            'UPDATE %1$s t SET %2$s FROM jsonb_populate_record(NULL::%1$s, $1) w, '
            'jsonb_populate_record(NULL::%1$s, $2) s WHERE %3$s', target, columns, condition)
            USING "where", "set";
    ELSE
        EXECUTE format(
            'DELETE FROM %1$s t USING jsonb_populate_record(NULL::%1$s, $1) w WHERE %2$s',
            target, condition) USING "where";
    END IF;
    GET DIAGNOSTICS touched = ROW_COUNT;
    IF touched = 0 THEN
        RAISE EXCEPTION 'no row of % matches %', tab, "where" USING ERRCODE = 'TB001';
    END IF;
END
$$;

-- Returns the digest of the start: the template's, but for what was logged on the way here.
CREATE FUNCTION tb.prepare(secret text, moment text, operations jsonb) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' AS $$
DECLARE
    operation jsonb;
BEGIN
    PERFORM tb.admit(secret);
    UPDATE public.clock SET now = moment::timestamptz;
    FOR operation IN SELECT value FROM jsonb_array_elements(operations) LOOP
        PERFORM tb.apply(operation ->> 'table', operation ->> 'op',
                         operation -> 'where', operation -> 'set');
    END LOOP;
    UPDATE tb.log SET by_agent = false WHERE by_agent;
    RETURN tb.digest(array(SELECT tab FROM tb.log UNION SELECT name FROM tb.sequences));
END
$$;
ALTER FUNCTION tb.prepare(text, text, jsonb) OWNER TO tb_owner;
