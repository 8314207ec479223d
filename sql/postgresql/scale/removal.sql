-- Takes all of it away. The two indexes of the user table stay, and the extension pg_trgm.

SET LOCAL lock_timeout = '2s';
DROP TRIGGER IF EXISTS @trigger@inserted ON @user@;
DROP TRIGGER IF EXISTS @trigger@updated ON @user@;
DROP TRIGGER IF EXISTS @trigger@deleted ON @user@;
DROP TRIGGER IF EXISTS @trigger@truncated ON @user@;
DROP SCHEMA IF EXISTS @scale@ CASCADE;
