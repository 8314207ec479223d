-- Lists the sessions whose locks block "check --counts", longest transaction first. Readers do not
-- block it.

SELECT 'process ' || a.pid || ' of role ' || coalesce(a.usename, '?') || ' (application "'
    || coalesce(a.application_name, '') || '"' || coalesce(', ' || a.state, '')
    || coalesce(', for ' || date_trunc('second', clock_timestamp() - a.xact_start)::text, '') || ')'
FROM pg_stat_activity a
WHERE a.pid <> pg_backend_pid() AND EXISTS (
    SELECT FROM pg_locks l
    WHERE l.pid = a.pid AND l.granted AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.mode NOT IN ('AccessShareLock', 'RowShareLock')
        AND (l.relation = @user_text@::regclass::oid
            OR l.relation IN (SELECT oid FROM pg_class WHERE relnamespace = @scale_text@::regnamespace::oid)))
ORDER BY a.xact_start NULLS LAST LIMIT 5;
