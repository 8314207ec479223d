-- The index for lists in order of last activity, on the sessions or on the column of UserAdminLastSeen,
-- if the owner of the user table may create it.

SELECT @create_seen@ FROM pg_class c
WHERE @has_seen@ AND c.oid = to_regclass(@seen_table_text@) AND c.relkind = 'r' AND pg_has_role(c.relowner, 'USAGE');
