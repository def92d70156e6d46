-- Undo an episode, and prove it undone: the database is its template again, to the last row and
-- sequence, and the session holds nothing.
--
-- The proof compares each table's number of rows and the combined hash of all of them, and each
-- sequence's value, with what they were in the template.
CREATE TABLE tb.baseline (name text PRIMARY KEY, size bigint NOT NULL, hash bigint NOT NULL);
CREATE TABLE tb.sequences (seq oid PRIMARY KEY, name text NOT NULL, last bigint NOT NULL, called boolean NOT NULL);

-- A column hashed exactly: types whose hash ignores something visible (the scale of a numeric, the
-- sign of a zero) or depends on object numbers (enums) go in as text.
CREATE FUNCTION tb.exact(attribute pg_attribute) RETURNS text LANGUAGE sql AS $$
    SELECT format(
        CASE
            WHEN (attribute).atttypid IN (
                'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'bool'::regtype,
                'date'::regtype, 'timestamp'::regtype, 'timestamptz'::regtype, 'uuid'::regtype,
                'bytea'::regtype)
              OR (attribute).atttypid = 'numeric'::regtype AND (attribute).atttypmod <> -1
            THEN 'r.%I' ELSE 'r.%I::text'
        END, (attribute).attname)
$$;

-- The tables of the domain, with their columns but the generated ones, which follow from the others.
CREATE VIEW tb.tables AS
SELECT c.oid, c.relname::text AS name,
    string_agg(tb.exact(a), ', ' ORDER BY a.attnum) AS hashed,
    string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum) AS written,
    string_agg(format('r.%I', a.attname), ', ' ORDER BY a.attnum) AS read,
    string_agg(format('%1$I = EXCLUDED.%1$I', a.attname), ', ')
        FILTER (WHERE a.attidentity <> 'a' AND NOT a.attnum = ANY (i.indkey)) AS restored,
    array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attnum = ANY (i.indkey)) AS key
FROM pg_class c
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r'
GROUP BY c.oid, c.relname;

-- Follow a table: log its changes, and write the function that undoes them. Rows that the log saw
-- begin are deleted, and of the others the first state that it knows is put back.
CREATE FUNCTION tb.follow(tab tb.tables) RETURNS void LANGUAGE plpgsql AS $follow$
BEGIN
    IF (tab).key IS NULL THEN
        RAISE EXCEPTION 'table % has no primary key', (tab).name USING ERRCODE = 'TB001';
    END IF;
    EXECUTE format(
        'CREATE TRIGGER tb_log AFTER INSERT OR UPDATE OR DELETE ON public.%I '
        'FOR EACH ROW EXECUTE FUNCTION tb.log_change(%s)',
        (tab).name, (SELECT string_agg(quote_literal(k), ', ') FROM unnest((tab).key) AS k));
    EXECUTE format('CREATE FUNCTION tb.%I() RETURNS void LANGUAGE sql AS %L', 'undo_' || (tab).oid, format(
        $undo$
        DELETE FROM public.%1$I t USING (
            SELECT r.* FROM (
                SELECT DISTINCT ON (key) key, before FROM tb.log WHERE tab = %1$L ORDER BY key, id
            ) l, jsonb_populate_record(NULL::public.%1$I, l.key) r
            WHERE l.before IS NULL
        ) k WHERE %2$s;
        INSERT INTO public.%1$I (%3$s) OVERRIDING SYSTEM VALUE
            SELECT %4$s FROM (
                SELECT DISTINCT ON (key) before FROM tb.log WHERE tab = %1$L ORDER BY key, id
            ) l, jsonb_populate_record(NULL::public.%1$I, l.before) r
            WHERE l.before IS NOT NULL
            ON CONFLICT (%5$s) DO %6$s;
        $undo$,
        (tab).name,
        (SELECT string_agg(format('t.%1$I = k.%1$I', k), ' AND ') FROM unnest((tab).key) AS k),
        (tab).written, (tab).read,
        (SELECT string_agg(quote_ident(k), ', ') FROM unnest((tab).key) AS k),
        coalesce('UPDATE SET ' || (tab).restored, 'NOTHING')));
END
$follow$;

-- Write what depends on the domain's tables, and remember their state. In the one plan of tb.state, a
-- table that is not wanted is not read.
CREATE FUNCTION tb.install() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    seq record;
    foreign_key record;
BEGIN
    PERFORM tb.follow(t) FROM tb.tables t;
    -- Undoing goes table by table, so references must be able to wait for its end.
    FOR foreign_key IN
        SELECT conrelid::regclass AS tab, conname FROM pg_constraint
        WHERE contype = 'f' AND NOT condeferrable AND connamespace = 'public'::regnamespace
    LOOP
        EXECUTE format('ALTER TABLE %s ALTER CONSTRAINT %I DEFERRABLE', foreign_key.tab, foreign_key.conname);
    END LOOP;
    FOR seq IN
        SELECT oid, relname FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'S'
    LOOP
        EXECUTE format('INSERT INTO tb.sequences SELECT %L, %L, last_value, is_called FROM public.%I',
            seq.oid, seq.relname, seq.relname);
    END LOOP;
    EXECUTE (
        SELECT 'CREATE FUNCTION tb.state(wanted text[]) RETURNS TABLE (name text, size bigint, hash bigint) '
            'LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $state$ BEGIN RETURN QUERY '
            'SELECT s.name, coalesce(pg_sequence_last_value(s.seq), 0), 0::bigint '
            'FROM tb.sequences s WHERE s.name = ANY (wanted)'
            || string_agg(format(
                ' UNION ALL SELECT %L, count(*), '
                'coalesce(bit_xor(hash_record_extended(ROW(%s), 0)), 0) FROM ONLY public.%I r '
                'HAVING %1$L = ANY (wanted)', name, hashed, name), '' ORDER BY name)
            || '; END $state$'
        FROM tb.tables);
    INSERT INTO tb.baseline SELECT * FROM tb.state(
        array(SELECT name FROM tb.tables UNION ALL SELECT name FROM tb.sequences));
END
$$;

-- One number for all rows (in any order) and all sequences. Tables that are not in "changed" count as
-- they were in the template.
CREATE FUNCTION tb.digest(changed text[]) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET extra_float_digits = 1
AS $$
BEGIN
    RETURN (
        SELECT md5(string_agg(concat_ws(':', s.name, s.size, s.hash), ',' ORDER BY s.name COLLATE "C"))
        FROM (
            SELECT * FROM tb.state(changed)
            UNION ALL SELECT * FROM tb.baseline WHERE name <> ALL (changed)
        ) s);
END
$$;

CREATE FUNCTION tb.digest() RETURNS text LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$ SELECT tb.digest(array(SELECT name FROM tb.baseline)) $$;

-- What the agent's session would carry into the next episode, and what its role does already.
CREATE FUNCTION tb.left_behind() RETURNS text LANGUAGE sql AS $$
    SELECT CASE
        WHEN EXISTS (SELECT FROM pg_prepared_statements WHERE from_sql) THEN 'prepared statements'
        WHEN EXISTS (SELECT FROM pg_listening_channels()) THEN 'a listener'
        WHEN EXISTS (SELECT FROM pg_cursors WHERE is_holdable) THEN 'a cursor'
        WHEN pg_my_temp_schema() <> 0 THEN 'a temporary schema'
        WHEN EXISTS (SELECT FROM pg_largeobject_metadata) THEN 'a large object'
        WHEN EXISTS (SELECT FROM tb.login l JOIN pg_authid a ON a.rolname = l.name
                     WHERE a.rolpassword IS DISTINCT FROM l.password
                        OR EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = a.oid))
        THEN 'a changed role'
    END
$$;

-- NULL, or why this database cannot be used again. References are checked when its transaction
-- commits. (Switching them off with session_replication_role would throw away every plan that the
-- session has.)
CREATE FUNCTION tb.recycle(secret text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET extra_float_digits = 1
AS $$
DECLARE
    entry text;
BEGIN
    PERFORM tb.admit(secret);
    entry := tb.left_behind();
    IF entry IS NOT NULL THEN
        RETURN 'the agent left ' || entry;
    END IF;
    SET CONSTRAINTS ALL DEFERRED;
    FOR entry IN SELECT DISTINCT tab FROM tb.log LOOP
        EXECUTE format('SELECT tb.%I()', 'undo_' || format('public.%I', entry)::regclass::oid);
    END LOOP;
    DELETE FROM tb.log;
    PERFORM setval(seq, last, called) FROM tb.sequences
        WHERE pg_sequence_last_value(seq) IS DISTINCT FROM CASE WHEN called THEN last END;
    PERFORM pg_advisory_unlock_all(), setseed(0);
    DISCARD SEQUENCES;
    SELECT s.name INTO entry
        FROM tb.state(array(SELECT name FROM tb.baseline)) s JOIN tb.baseline b USING (name)
        WHERE (s.size, s.hash) IS DISTINCT FROM (b.size, b.hash) LIMIT 1;
    RETURN entry || ' differs from the template';
END
$$;
