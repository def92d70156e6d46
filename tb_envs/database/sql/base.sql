-- What every template database has before the domain's own schema: rights, and the episode's clock.
ALTER SCHEMA public OWNER TO tb_owner;
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO tb_agent, tb_checker;

-- Functions by which an ordinary role leaves something behind or disturbs other sessions.
DO $$
DECLARE
    entry regprocedure;
BEGIN
    FOR entry IN
        SELECT oid FROM pg_proc
        WHERE pronamespace = 'pg_catalog'::regnamespace
          AND (proname LIKE 'lo\_%' OR proname IN (
              'loread', 'lowrite', 'pg_terminate_backend', 'pg_cancel_backend',
              'pg_logical_emit_message', 'pg_export_snapshot'))
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', entry);
    END LOOP;
END
$$;

SET ROLE tb_owner;

CREATE TABLE public.clock (
    now timestamptz NOT NULL,
    single boolean PRIMARY KEY DEFAULT true CHECK (single)
);
COMMENT ON TABLE public.clock IS 'The moment at which the episode takes place: always one row.';

CREATE FUNCTION public.clock_now() RETURNS timestamptz LANGUAGE sql STABLE PARALLEL SAFE
    AS 'SELECT now FROM public.clock';
COMMENT ON FUNCTION public.clock_now() IS 'The episode''s now; columns use it as their default.';

RESET ROLE;
