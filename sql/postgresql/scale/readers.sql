-- Allows the roles that may read the user table to read the counts.

DO $body$
DECLARE
    reader text;
BEGIN
    FOR reader IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) AS a
        WHERE c.oid = (@scale_text@ || '.counts')::regclass AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('REVOKE ALL ON @scale@.counts FROM %s CASCADE', reader);
    END LOOP;
    FOR reader IN
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END
        FROM pg_class c CROSS JOIN aclexplode(c.relacl) AS a
        WHERE c.oid = @user_text@::regclass AND a.privilege_type = 'SELECT' AND a.grantee <> c.relowner
    LOOP
        EXECUTE format('GRANT SELECT ON @scale@.counts TO %s', reader);
    END LOOP;
END $body$;
COMMENT ON SCHEMA @scale@ IS @mark@;
