-- What "useradminctl schema --scale" adds to a large user table, for the DBA:
--
-- 1. Totals. The "counts" table has the number of users by role, ban and verification. Statement-level triggers on
--    the user table append one row for each group that a statement changes, such as (admin, false, true, 1), so no
--    writer waits for another. A total is the sum of its rows. About one write in a hundred merges up to 1,000 rows.
--    In every snapshot the sum equals the number of users, because both change in the same transaction.
-- 2. Searches. A GIN index on the user table contains the trigrams of the expression searched(name,
-- email). Its function fold() removes case and accents. It is immutable and reads no table, so the
-- index needs no trigger.
-- 3. Sort orders. B-tree indexes on the user table, one for each order of a list, for index-only scans. The
-- one for the last activity is on the session table, unless the user table has a column for it.
--
-- All objects belong to the table's owner. The trigger function runs with the owner's privileges
-- and a fixed search path. The functions of the index name the schema of everything they call.
-- "useradminctl schema --scale" also compares existing counts with the users. "useradminctl schema
-- --no-scale" removes everything.
--
-- useradminctl replaces the words between at signs: @scale@ is the schema of these objects, @user@ the user table,
-- @counted@ the columns of a group, as lists evaluate them.

CREATE TABLE IF NOT EXISTS @scale@.counts (
    role        text COLLATE "C" NOT NULL,
    is_banned   boolean NOT NULL,
    is_verified boolean NOT NULL,
    number      bigint NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- If the database has a publication FOR ALL TABLES, rows can be deleted only from tables with a
-- replica identity. Without the condition, the statement would lock the table each time.
DO $body$
BEGIN
    IF (SELECT relreplident FROM pg_class WHERE oid = (@scale_text@ || '.counts')::regclass) <> 'f' THEN
        ALTER TABLE @scale@.counts REPLICA IDENTITY FULL;
    END IF;
END $body$;

-- Replaces up to 1,000 rows of the counts with their sums. Skips rows that another transaction is
-- merging.
CREATE OR REPLACE FUNCTION @scale@.merge_counts() RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $body$
    WITH merged AS (
        DELETE FROM @scale@.counts
        WHERE ctid = ANY (ARRAY(SELECT ctid FROM @scale@.counts LIMIT 1000 FOR UPDATE SKIP LOCKED))
        RETURNING *
    )
    INSERT INTO @scale@.counts
    SELECT role, is_banned, is_verified, sum(number) FROM merged GROUP BY 1, 2, 3 HAVING sum(number) <> 0
$body$;

CREATE OR REPLACE FUNCTION @scale@.count_users() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    -- Above READ COMMITTED, deleting a row that another transaction has changed since the snapshot
    -- would fail.
    is_current boolean := current_setting('transaction_isolation') IN ('read committed', 'read uncommitted');
BEGIN
    CASE TG_OP
    WHEN 'INSERT' THEN
        INSERT INTO @scale@.counts SELECT @counted@, count(*) FROM useradmin_new GROUP BY 1, 2, 3;
    WHEN 'UPDATE' THEN
        INSERT INTO @scale@.counts
        SELECT role, is_banned, is_verified, sum(number)
        FROM (SELECT @counted@, 1 AS number FROM useradmin_new
              UNION ALL SELECT @counted@, -1 FROM useradmin_old) AS c
        GROUP BY 1, 2, 3 HAVING sum(number) <> 0;
    WHEN 'DELETE' THEN
        INSERT INTO @scale@.counts SELECT @counted@, -count(*) FROM useradmin_old GROUP BY 1, 2, 3;
    ELSE
        IF is_current THEN
            DELETE FROM @scale@.counts;
        ELSE
            TRUNCATE @scale@.counts;
        END IF;
    END CASE;
    IF is_current AND random() < 0.01 THEN
        PERFORM @scale@.merge_counts();
    END IF;
    RETURN NULL;
END $body$;

REVOKE ALL ON FUNCTION @scale@.merge_counts(), @scale@.count_users() FROM PUBLIC;
