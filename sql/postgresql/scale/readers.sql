-- Whoever may read the user table may read the copy.

DO $body$
DECLARE
    reader text;
BEGIN
    FOR reader IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(r.rolname::text) END
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) a LEFT JOIN pg_roles r ON r.oid = a.grantee
        WHERE c.oid = @user_text@::regclass AND a.privilege_type = 'SELECT'
    LOOP
        EXECUTE 'GRANT USAGE ON SCHEMA @scale@ TO ' || reader;
        EXECUTE 'GRANT SELECT ON ALL TABLES IN SCHEMA @scale@ TO ' || reader;
        EXECUTE 'GRANT EXECUTE ON FUNCTION @scale@.fold(text) TO ' || reader;
    END LOOP;
END $body$;
