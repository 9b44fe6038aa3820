-- The three roles, where the server does not have them yet (the embedded server is given them with passwords).
-- owner runs migrations; app posts and reads; auditor reads the schema `audit` and nothing else.
DO $$
DECLARE
  name text;
BEGIN
  FOREACH name IN ARRAY ARRAY['liuzhou_owner', 'liuzhou_app', 'liuzhou_auditor'] LOOP
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = name) THEN
      BEGIN
        EXECUTE format('CREATE ROLE %I NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE', name);
      EXCEPTION WHEN insufficient_privilege THEN
        RAISE EXCEPTION 'The role % is missing and % may not create it: have a superuser run CREATE ROLE %', name, current_user, name;
      END;
    END IF;
  END LOOP;
  -- A login of one's own (DATABASE_URL) becomes liuzhou_app by SET ROLE: it must be a member.
  IF NOT pg_has_role(current_user, 'liuzhou_app', 'SET') AND current_user <> 'liuzhou_owner' THEN
    EXECUTE format('GRANT liuzhou_app TO %I', current_user);
  END IF;
END
$$;

CREATE SCHEMA ledger;
CREATE SCHEMA audit;
REVOKE ALL ON SCHEMA ledger, audit FROM PUBLIC;
GRANT USAGE ON SCHEMA ledger, audit TO liuzhou_app;
GRANT USAGE ON SCHEMA audit TO liuzhou_auditor;
-- Functions are executable by everybody unless this is said before they are made.
ALTER DEFAULT PRIVILEGES IN SCHEMA ledger REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
