-- The roles that every process on this server shares. They cannot log in: each process has a login
-- of its own below tb_owner, each episode database one below tb_agent.
DO $$
DECLARE
    wanted text;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('thinkingbox roles', 0));
    FOREACH wanted IN ARRAY ARRAY['tb_owner', 'tb_agent', 'tb_checker'] LOOP
        IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = wanted) THEN
            EXECUTE format('CREATE ROLE %I NOLOGIN', wanted);
        END IF;
    END LOOP;
    IF NOT pg_has_role('tb_owner', 'pg_signal_backend', 'MEMBER') THEN
        GRANT pg_signal_backend TO tb_owner;
    END IF;
END
$$;
