-- The change log of a template database, installed after schema, articles and seed: one row for each
-- row that was inserted, updated or deleted since. It knows how to undo an episode, and how to prove
-- that nothing is left of it. Only the owner's role reaches it.
CREATE SCHEMA tb;
GRANT USAGE ON SCHEMA tb TO tb_owner;

CREATE UNLOGGED TABLE tb.log (
    id bigint GENERATED ALWAYS AS IDENTITY,
    by_agent boolean NOT NULL,
    tab text NOT NULL,
    op text NOT NULL,
    key jsonb NOT NULL,
    before jsonb,
    after jsonb
);
GRANT SELECT ON tb.log TO tb_owner;

-- What the database is like when nobody has worked in it: its digest, and its agent's login.
CREATE TABLE tb.baseline (digest text NOT NULL);
CREATE TABLE tb.login (name text NOT NULL, password text);

-- The settings pin how values become JSON, whatever the session has set.
CREATE FUNCTION tb.log_change() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    SET timezone = 'UTC' SET datestyle = 'ISO' SET intervalstyle = 'iso_8601'
    SET extra_float_digits = 1 SET bytea_output = 'hex'
AS $$
DECLARE
    by_agent boolean := NOT pg_has_role(session_user, 'tb_owner', 'MEMBER');
    before jsonb;
    after jsonb;
    old_key jsonb;
    new_key jsonb;
BEGIN
    IF TG_OP <> 'INSERT' THEN
        before := to_jsonb(OLD);
        SELECT jsonb_object_agg(name, before -> name) INTO old_key FROM unnest(TG_ARGV) AS name;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        after := to_jsonb(NEW);
        SELECT jsonb_object_agg(name, after -> name) INTO new_key FROM unnest(TG_ARGV) AS name;
    END IF;
    IF TG_OP = 'UPDATE' AND old_key <> new_key THEN
        INSERT INTO tb.log (by_agent, tab, op, key, before, after) VALUES
            (by_agent, TG_TABLE_NAME, 'delete', old_key, before, NULL),
            (by_agent, TG_TABLE_NAME, 'insert', new_key, NULL, after);
    ELSE
        INSERT INTO tb.log (by_agent, tab, op, key, before, after)
        VALUES (by_agent, TG_TABLE_NAME, lower(TG_OP), coalesce(new_key, old_key), before, after);
    END IF;
    RETURN NULL;
END
$$;

-- A column of a row hashed exactly: types whose hash ignores something visible (the scale of a
-- numeric, the sign of a zero) or depends on object numbers (enums) go in as text.
CREATE FUNCTION tb.exact(attribute pg_attribute) RETURNS text LANGUAGE sql AS $$
    SELECT CASE
        WHEN (attribute).atttypid IN (
            'int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'bool'::regtype, 'date'::regtype,
            'timestamp'::regtype, 'timestamptz'::regtype, 'uuid'::regtype, 'bytea'::regtype)
          OR (attribute).atttypid = 'numeric'::regtype AND (attribute).atttypmod <> -1
        THEN format('r.%I', (attribute).attname)
        ELSE format('r.%I::text', (attribute).attname)
    END
$$;

-- Write the functions that depend on the domain's tables.
CREATE FUNCTION tb.install() RETURNS void LANGUAGE plpgsql AS $install$
DECLARE
    tab record;
    digests text[] := '{}';
    undo text := '';
    seq record;
    last bigint;
    called boolean;
BEGIN
    FOR tab IN
        SELECT c.oid, c.relname AS name,
            array_agg(a.attname::text ORDER BY a.attnum) FILTER (WHERE a.attgenerated = '') AS columns,
            string_agg(tb.exact(a), ', ' ORDER BY a.attnum) FILTER (WHERE a.attgenerated <> 'v') AS hashed,
            string_agg(format('%I', a.attname), ', ' ORDER BY a.attnum)
                FILTER (WHERE a.attgenerated = '') AS written,
            (SELECT array_agg(k.attname::text ORDER BY k.attnum) FROM pg_index i
                JOIN pg_attribute k ON k.attrelid = c.oid AND k.attnum = ANY (i.indkey)
                WHERE i.indrelid = c.oid AND i.indisprimary) AS key
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
        GROUP BY c.oid, c.relname ORDER BY c.relname
    LOOP
        IF tab.key IS NULL THEN
            RAISE EXCEPTION 'table % has no primary key', tab.name USING ERRCODE = 'TB001';
        END IF;
        EXECUTE format(
            'CREATE TRIGGER tb_log AFTER INSERT OR UPDATE OR DELETE ON public.%I '
            'FOR EACH ROW EXECUTE FUNCTION tb.log_change(%s)',
            tab.name, (SELECT string_agg(quote_literal(k), ', ') FROM unnest(tab.key) k));
        digests := digests || format(
            'SELECT %L AS name, count(*) AS n, '
            'coalesce(bit_xor(hash_record_extended(ROW(%s), 0)), 0) AS h FROM ONLY public.%I r',
            tab.name, tab.hashed, tab.name);
        undo := undo || format(
            $undo$
            IF EXISTS (SELECT FROM tb.log WHERE tab = %1$L) THEN
                DELETE FROM public.%1$I t USING (SELECT DISTINCT key FROM tb.log WHERE tab = %1$L) l
                    WHERE %2$s;
                INSERT INTO public.%1$I (%3$s) OVERRIDING SYSTEM VALUE
                    SELECT %4$s FROM (
                        SELECT DISTINCT ON (key) before FROM tb.log WHERE tab = %1$L ORDER BY key, id
                    ) l, jsonb_populate_record(NULL::public.%1$I, l.before) r
                    WHERE l.before IS NOT NULL;
            END IF;
            $undo$,
            tab.name,
            (SELECT string_agg(format('t.%1$I = (jsonb_populate_record(NULL::public.%2$I, l.key)).%1$I', k, tab.name), ' AND ')
                FROM unnest(tab.key) k),
            tab.written,
            (SELECT string_agg(format('r.%I', c), ', ') FROM unnest(tab.columns) c));
    END LOOP;
    FOR seq IN
        SELECT c.relname AS name FROM pg_class c
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'S' ORDER BY c.relname
    LOOP
        EXECUTE format('SELECT last_value, is_called FROM public.%I', seq.name) INTO last, called;
        digests := digests || format(
            'SELECT %L, last_value, CASE WHEN is_called THEN 1 ELSE 0 END FROM public.%I',
            seq.name, seq.name);
        undo := undo || format(
            'PERFORM setval(%L, %s, %L) FROM public.%I WHERE (last_value, is_called) <> (%s, %L);' || E'\n',
            'public.' || quote_ident(seq.name), last, called, seq.name, last, called);
    END LOOP;
    EXECUTE format(
        'CREATE FUNCTION tb.digest() RETURNS text LANGUAGE plpgsql STABLE SECURITY DEFINER '
        'SET timezone = ''UTC'' SET extra_float_digits = 1 AS '
        '%L',
        format('BEGIN RETURN (SELECT md5(string_agg(concat_ws('':'', name, n, h), '','')) FROM (%s) p); END',
            array_to_string(digests, ' UNION ALL ')));
    EXECUTE format(
        'CREATE FUNCTION tb.undo() RETURNS void LANGUAGE plpgsql SECURITY DEFINER '
        'SET session_replication_role = replica SET timezone = ''UTC'' AS %L',
        format('BEGIN %s END', undo));
    INSERT INTO tb.baseline SELECT tb.digest();
END
$install$;

-- Undo the episode and prove that the database is its template again: NULL, or what is not.
CREATE FUNCTION tb.recycle() RETURNS text LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM tb.undo();
    DELETE FROM tb.log;
    PERFORM pg_advisory_unlock_all();
    IF tb.digest() <> (SELECT digest FROM tb.baseline) THEN
        RETURN 'rows or sequences differ from the template';
    END IF;
    IF EXISTS (SELECT FROM pg_largeobject_metadata) THEN
        RETURN 'there are large objects';
    END IF;
    IF EXISTS (SELECT FROM tb.login l JOIN pg_authid a ON a.rolname = l.name
               WHERE a.rolpassword IS DISTINCT FROM l.password
                  OR EXISTS (SELECT FROM pg_db_role_setting s WHERE s.setrole = a.oid)) THEN
        RETURN 'the agent changed its role';
    END IF;
    RETURN NULL;
END
$$;

-- Only the owner may do any of this.
CREATE FUNCTION tb.close_doors() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tb FROM PUBLIC;
    GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA tb TO tb_owner;
    REVOKE EXECUTE ON FUNCTION tb.undo() FROM tb_owner;
    GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tb_agent;
    REVOKE INSERT, UPDATE, DELETE ON public.clock FROM tb_agent;
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO tb_agent;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO tb_checker;
    GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO tb_checker;
END
$$;

-- An ordinary role may alter its own defaults and drop what it was granted; not this one.
CREATE FUNCTION tb.refuse_ddl() RETURNS event_trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NOT pg_has_role(session_user, 'tb_owner', 'MEMBER') THEN
        RAISE EXCEPTION 'permission denied: % is not for the tools'' role', tg_tag
            USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;
CREATE EVENT TRIGGER tb_refuse_ddl ON ddl_command_start EXECUTE FUNCTION tb.refuse_ddl();

-- Remember the login of this database's agent, to see later whether it was changed.
CREATE FUNCTION tb.enrol(login text) RETURNS void LANGUAGE sql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
    INSERT INTO tb.login SELECT rolname, rolpassword FROM pg_authid WHERE rolname = login;
$$;
