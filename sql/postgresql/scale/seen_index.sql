-- The index for lists sorted by last activity: on the session table, or on the column of
-- UserAdminLastSeen. Created only if the owner of the user table may create it.

SELECT @create_seen@ FROM pg_class c
WHERE @has_seen@ AND c.oid = to_regclass(@seen_table_text@) AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE');
