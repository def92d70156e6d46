-- Evaluate predicates as the checker's role, which can only read: [{"value": ..., "error": ...}, ...].
-- The caller opens a read-only transaction. One predicate's error leaves the others alone.
CREATE FUNCTION tb.run_checks(checks text[]) RETURNS jsonb LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = public, pg_temp AS $$
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
REVOKE EXECUTE ON FUNCTION tb.run_checks(text[]) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION tb.run_checks(text[]) TO tb_owner;
