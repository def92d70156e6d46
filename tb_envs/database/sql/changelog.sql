-- The change log of a template database, installed after schema, articles and seed: one row for each
-- row that was inserted, updated or deleted since.
--
-- An episode has one session, logged in as its agent. What the environment itself does in it goes
-- through functions of this schema that ask for a secret, which only the environment's process and
-- the table tb.login know. The agent's role can read neither the log nor that table.
CREATE SCHEMA tb;
GRANT USAGE ON SCHEMA tb TO tb_owner, tb_agent, tb_checker;

CREATE UNLOGGED TABLE tb.log (
    id bigint GENERATED ALWAYS AS IDENTITY,
    by_agent boolean NOT NULL,
    tab text NOT NULL,
    op text NOT NULL,
    key jsonb NOT NULL,
    before jsonb,
    after jsonb
);
GRANT SELECT, UPDATE ON tb.log TO tb_owner;

CREATE TABLE tb.login (name text NOT NULL, password text, secret text NOT NULL);

-- Remember the login of this database's agent, once, before any agent is there.
CREATE FUNCTION tb.enrol(secret text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF EXISTS (SELECT FROM tb.login) THEN
        RAISE EXCEPTION 'permission denied: the login is known already'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    INSERT INTO tb.login SELECT rolname, rolpassword, enrol.secret FROM pg_authid
        WHERE rolname = session_user;
END
$$;

CREATE FUNCTION tb.admit(secret text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM tb.login l WHERE l.secret = admit.secret) THEN
        RAISE EXCEPTION 'permission denied: this is for the environment'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
END
$$;

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

-- What the agent changed, past an entry of the log.
CREATE FUNCTION tb.changes(secret text, past bigint) RETURNS SETOF tb.log
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM tb.admit(secret);
    RETURN QUERY SELECT * FROM tb.log l WHERE l.by_agent AND l.id > past ORDER BY l.id;
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
