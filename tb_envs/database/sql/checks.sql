-- What grading reads, as the checker's role, which can do nothing but read. The settings pin how
-- values are written, whatever the agent's session has set.

-- Evaluate predicates: [{"value": ..., "error": ...}, ...]. The caller opens a read-only
-- transaction. One predicate's error leaves the others alone.
CREATE FUNCTION tb.run_checks(checks text[]) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO'
    SET extra_float_digits = 1 AS $$
DECLARE
    predicate text;
    answer boolean;
    results jsonb := '[]';
BEGIN
    FOREACH predicate IN ARRAY checks LOOP
        BEGIN
            EXECUTE 'SELECT (' || predicate || E'\n)' INTO answer;
            results := results || jsonb_build_object('value', answer, 'error',
                CASE WHEN answer IS NULL THEN 'the check answered NULL; expected true or false' END);
        EXCEPTION
            WHEN query_canceled OR read_only_sql_transaction OR insufficient_privilege THEN
                RAISE;
            WHEN OTHERS THEN
                results := results || jsonb_build_object('value', NULL, 'error', SQLERRM);
        END;
    END LOOP;
    RETURN results;
END
$$;
ALTER FUNCTION tb.run_checks(text[]) OWNER TO tb_checker;

-- Find a table's rows by equality with some of its columns.
CREATE FUNCTION tb.fetch(tab text, key jsonb) RETURNS SETOF jsonb LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp SET timezone = 'UTC' SET datestyle = 'ISO'
    SET extra_float_digits = 1 SET intervalstyle = 'iso_8601' SET bytea_output = 'hex'
AS $$
BEGIN
    RETURN QUERY EXECUTE format(
        'SELECT to_jsonb(t) FROM public.%1$I t, jsonb_populate_record(NULL::public.%1$I, $1) k '
        'WHERE %2$s ORDER BY 1',
        tab,
        (SELECT string_agg(format('t.%1$I IS NOT DISTINCT FROM k.%1$I', name), ' AND ')
            FROM jsonb_object_keys(key) AS name))
        USING key;
END
$$;
ALTER FUNCTION tb.fetch(text, jsonb) OWNER TO tb_checker;
