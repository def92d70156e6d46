-- Who may do what in a finished template.
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO tb_agent;
REVOKE INSERT, UPDATE, DELETE ON public.clock FROM tb_agent;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO tb_agent;
GRANT SELECT ON ALL TABLES IN SCHEMA public TO tb_checker;
GRANT SELECT ON ALL SEQUENCES IN SCHEMA public TO tb_checker;

REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA tb FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
    tb.enrol(text), tb.prepare(text, text, jsonb), tb.changes(text, bigint), tb.recycle(text),
    tb.digest(), tb.run_checks(text[]), tb.fetch(text, jsonb)
TO tb_agent;
GRANT EXECUTE ON FUNCTION
    tb.admit(text), tb.apply(text, text, jsonb, jsonb), tb.digest(), tb.digest(text[]), tb.run_checks(text[]),
    tb.fetch(text, jsonb)
TO tb_owner;
GRANT SELECT ON tb.sequences TO tb_owner;
GRANT EXECUTE ON FUNCTION pg_terminate_backend(int, bigint), pg_cancel_backend(int) TO tb_owner;
