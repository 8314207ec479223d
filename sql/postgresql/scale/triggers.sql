-- From here on, every change to the user table updates the counts. Locks the table briefly.

SET LOCAL lock_timeout = '2s';
DROP TRIGGER IF EXISTS @trigger@inserted ON @user@;
DROP TRIGGER IF EXISTS @trigger@updated ON @user@;
DROP TRIGGER IF EXISTS @trigger@deleted ON @user@;
DROP TRIGGER IF EXISTS @trigger@truncated ON @user@;
CREATE TRIGGER @trigger@inserted AFTER INSERT ON @user@ REFERENCING NEW TABLE AS useradmin_new
    FOR EACH STATEMENT EXECUTE FUNCTION @scale@.count_users();
CREATE TRIGGER @trigger@updated AFTER UPDATE ON @user@ REFERENCING OLD TABLE AS useradmin_old NEW TABLE AS useradmin_new
    FOR EACH STATEMENT EXECUTE FUNCTION @scale@.count_users();
CREATE TRIGGER @trigger@deleted AFTER DELETE ON @user@ REFERENCING OLD TABLE AS useradmin_old
    FOR EACH STATEMENT EXECUTE FUNCTION @scale@.count_users();
CREATE TRIGGER @trigger@truncated AFTER TRUNCATE ON @user@
    FOR EACH STATEMENT EXECUTE FUNCTION @scale@.count_users();
-- The service does not use the counts until they have been compared with the users.
COMMENT ON SCHEMA @scale@ IS NULL;
