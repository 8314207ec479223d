-- What makes a page in the middle of the other orders quick: marks along each order, and the triggers'
-- functions, which write down what the marks do not know yet.
--
-- A mark stands at the first user of a stretch of its order, and says how many users the stretch has of
-- each role. The first stretch begins before all users. What users were made and deleted since stands in
-- the changes: in any snapshot, the users of a stretch are those of its mark and those of the changes
-- that lie in it. So nobody waits to change a mark: now and then, at the end of a transaction, changes are
-- taken into the marks, by one at a time.
--
-- A list begins at a mark that is as far on as it may be. It is never needed: where there are none, or too
-- many changes, the list goes through the users from the beginning.

DO $body$
BEGIN
    EXECUTE 'SET LOCAL ROLE '
        || (SELECT quote_ident(pg_get_userbyid(relowner)::text) FROM pg_class WHERE oid = @user_text@::regclass);
END $body$;

-- The orders that have marks: the name of the marks' table, which is that of the column of the changes too, the
-- key that the user table is sorted by, before the id, and its direction.
CREATE FUNCTION @scale@.orders(OUT name text, OUT key text, OUT direction text) RETURNS SETOF record
LANGUAGE sql IMMUTABLE AS $body$
    @orders@
$body$;

-- A row for each user that was made (1) or is gone (-1), with its keys in the orders. What changes a key or
-- the role is both.
CREATE TABLE @scale@.changes AS
    SELECT @name_key@ AS by_name, @email_key@ AS by_email, @updated@ AS by_update, @id@ AS id FROM @user@ WITH NO DATA;
ALTER TABLE @scale@.changes
    -- To cut it off would lock it, and on a standby end the lists that read it.
    SET (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, vacuum_truncate = false),
    ADD COLUMN role text COLLATE "C" NOT NULL,
    ADD COLUMN number integer NOT NULL,
    -- Without keys, a publication of all tables would refuse what is taken out of them.
    REPLICA IDENTITY FULL;

-- The marks of an order: where the stretch begins, and the numbers of its users, in all and by role.
DO $body$
DECLARE
    sort record;
BEGIN
    FOR sort IN SELECT * FROM @scale@.orders() LOOP
        EXECUTE format('CREATE TABLE @scale@.%1$I WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0,
                autovacuum_vacuum_threshold = 1000) AS
            SELECT false AS is_first, %1$I AS key, id, number, ARRAY[role] AS roles, ARRAY[number] AS numbers
            FROM @scale@.changes WITH NO DATA', sort.name);
        EXECUTE format('ALTER TABLE @scale@.%I REPLICA IDENTITY FULL', sort.name);
        EXECUTE format('CREATE UNIQUE INDEX ON @scale@.%I (is_first DESC, key %s, id)', sort.name, sort.direction);
    END LOOP;
END $body$;

-- Asks that changes are taken into the marks when the transaction ends, so many at most.
CREATE TABLE @scale@.due (most bigint NOT NULL);
ALTER TABLE @scale@.due REPLICA IDENTITY FULL;

-- A text's key in the orders. One of ASCII alone, as most are, takes a short way.
CREATE FUNCTION @scale@.key(original text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN octet_length(original) = length(original) THEN lower(original COLLATE "C") ELSE @key_of_original@ END
$body$;

-- A query of the marks of an order, each with its place and the number of its stretch, from 1 on.
CREATE FUNCTION @scale@.stretches_of(name text, direction text) RETURNS text LANGUAGE sql AS $body$
    SELECT format('SELECT *, ctid AS place, row_number() OVER (ORDER BY is_first DESC, key %2$s, id) AS stretch
                   FROM @scale@.%1$I', name, direction)
$body$;

-- A query of the numbers by stretch and role of what another query has, of key, id, role and number.
CREATE FUNCTION @scale@.numbers_of(name text, direction text, query text) RETURNS text LANGUAGE sql AS $body$
    SELECT format($format$
        SELECT stretch, role, sum(number)::integer AS number
        FROM (SELECT sum(is_mark) OVER (ORDER BY is_first DESC, key %2$s, id, is_mark DESC ROWS UNBOUNDED PRECEDING)
                  AS stretch, is_mark, role, number
              FROM (SELECT is_first, key, id, 1 AS is_mark, NULL AS role, 0 AS number FROM @scale@.%1$I
                    UNION ALL SELECT false, key, id, 0, role, number FROM (%3$s) AS q) AS a) AS s
        WHERE is_mark = 0 GROUP BY stretch, role$format$, name, direction, query)
$body$;

-- An update of the marks of an order, a part of a statement: to the numbers that a query has by stretch and
-- role, where the marks are of such stretches.
CREATE FUNCTION @scale@.update_of(name text, direction text, query text, stretches text) RETURNS text LANGUAGE sql AS $body$
    SELECT format($format$
        UPDATE @scale@.%1$I AS changed SET number = n.number, roles = n.roles, numbers = n.numbers
        FROM (SELECT stretch, sum(number) AS number, coalesce(array_agg(role ORDER BY role) FILTER (WHERE number <> 0), '{}') AS roles,
                  coalesce(array_agg(number ORDER BY role) FILTER (WHERE number <> 0), '{}') AS numbers
              FROM (%3$s) AS q GROUP BY stretch) AS n
        JOIN (%2$s) AS m USING (stretch)
        WHERE changed.ctid = m.place AND m.stretch %4$s
            AND (changed.number, changed.roles, changed.numbers) IS DISTINCT FROM (n.number, n.roles, n.numbers)$format$,
        name, @scale@.stretches_of(name, direction), query, stretches)
$body$;

-- Takes so many changes into the marks, in portions that memory has room for. To be called by one at a time, as all
-- that change marks.
CREATE FUNCTION @scale@.take_in(most bigint) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    portion CONSTANT bigint := 250000;
    parts text;
BEGIN
    SELECT string_agg(format(', %1$I_stretches AS (%2$s), %1$I_changes AS (%3$s), %1$I_update AS (%4$s)', name,
            @scale@.stretches_of(name, direction),
            @scale@.numbers_of(name, direction, format('SELECT %I AS key, id, role, number FROM gone', name)),
            @scale@.update_of(name, direction, format(
                'SELECT stretch, role, sum(number)::integer AS number
                 FROM (SELECT * FROM %1$I_changes UNION ALL
                       SELECT s.stretch, n.role, n.number
                       FROM %1$I_stretches AS s CROSS JOIN unnest(s.roles, s.numbers) AS n (role, number)
                       WHERE s.stretch IN (SELECT stretch FROM %1$I_changes WHERE number <> 0)) AS a
                 GROUP BY stretch, role', name), format('IN (SELECT stretch FROM %I_changes WHERE number <> 0)', name))), '')
    INTO parts FROM @scale@.orders();
    WHILE most > 0 AND EXISTS (SELECT FROM @scale@.changes) LOOP
        -- In one snapshot: what others are about to commit stays among the changes.
        EXECUTE 'WITH gone AS (DELETE FROM @scale@.changes WHERE ctid = ANY (ARRAY(SELECT ctid FROM @scale@.changes LIMIT '
            || least(most, portion) || ')) RETURNING *)' || parts || ' SELECT';
        most := most - portion;
    END LOOP;
END $body$;

-- The user table, with its schema where that is not looked in.
CREATE FUNCTION @scale@.own_table() RETURNS text LANGUAGE sql STABLE AS $body$
    SELECT tgrelid::regclass::text FROM pg_trigger WHERE tgfoid = to_regproc('@scale@.inserted')
$body$;

-- A query of the key, id and role of the users of the stretches from one to another, each with the number 1.
CREATE FUNCTION @scale@.users_of(name text, key text, direction text, first bigint, last bigint) RETURNS text
LANGUAGE plpgsql SET datestyle = 'ISO' AS $body$
DECLARE
    id text := @id_text@;
    own_table text := @scale@.own_table();
    start_key text;
    start_id text;
    end_key text;
    end_id text;
    after text := CASE direction WHEN 'DESC' THEN '<' ELSE '>' END;
    before text := CASE direction WHEN 'DESC' THEN '>' ELSE '<' END;
    conditions text[];
BEGIN
    EXECUTE format('SELECT max(key::text) FILTER (WHERE stretch = $1), max(id::text) FILTER (WHERE stretch = $1),
            max(key::text) FILTER (WHERE stretch = $2 + 1), max(id::text) FILTER (WHERE stretch = $2 + 1)
        FROM (%s) AS m', @scale@.stretches_of(name, direction)) INTO start_key, start_id, end_key, end_id USING first, last;
    -- Conditions that the order's index can answer, one by one.
    IF start_key IS NULL AND end_key IS NULL THEN
        conditions := '{true}';
    ELSIF start_key = end_key THEN
        conditions := ARRAY[format('%s = %L AND %s >= %L AND %3$s < %5$L', key, start_key, id, start_id, end_id)];
    ELSE
        IF start_key IS NOT NULL THEN
            conditions := conditions || format('%s = %L AND %s >= %L', key, start_key, id, start_id);
        END IF;
        conditions := conditions || concat_ws(' AND ',
            CASE WHEN start_key IS NOT NULL THEN format('%s %s %L', key, after, start_key) END,
            CASE WHEN end_key IS NOT NULL THEN format('%s %s %L', key, before, end_key) END);
        IF end_key IS NOT NULL THEN
            conditions := conditions || format('%s = %L AND %s < %L', key, end_key, id, end_id);
        END IF;
        -- What has no key comes last, or first in the other direction.
        IF (direction = 'DESC' AND start_key IS NULL) OR (direction = '' AND end_key IS NULL) THEN
            conditions := conditions || format('%s IS NULL', key);
        END IF;
    END IF;
    RETURN (SELECT string_agg(format('SELECT %s AS key, %s AS id, (%s)::text COLLATE "C" AS role, 1 AS number FROM %s WHERE %s',
                                     key, id, @role_text@, own_table, condition), ' UNION ALL ')
            FROM unnest(conditions) AS c (condition));
END $body$;

-- Counts the users of the stretches from one to another anew: how many stretches had other numbers. In one
-- snapshot, the users that the changes tell of are among the users.
CREATE FUNCTION @scale@.recount(name text, key text, direction text, first bigint, last bigint, OUT corrected bigint)
LANGUAGE plpgsql SET enable_seqscan = off AS $body$
BEGIN
    EXECUTE @scale@.update_of(name, direction, format(
        'SELECT * FROM (%s) AS n WHERE stretch BETWEEN %s AND %s UNION ALL SELECT s, '''', 0 FROM generate_series(%2$s, %3$s) AS s',
        @scale@.numbers_of(name, direction, @scale@.users_of(name, key, direction, first, last)
            || format(' UNION ALL SELECT %I, id, role, -number FROM @scale@.changes', name)), first, last),
        format('BETWEEN %s AND %s', first, last));
    GET DIAGNOSTICS corrected = ROW_COUNT;
END $body$;

-- Drops the marks of stretches without users and, so many at most, of those that have become short beside the one
-- before, and parts those that have grown too long, unless they have more users than the given number.
CREATE FUNCTION @scale@.part(name text, key text, direction text, most bigint, joins bigint) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off AS $body$
DECLARE
    stretches text := @scale@.stretches_of(name, direction);
    -- Of two neighbours, one is looked at.
    parity bigint := floor(random() * 2);
    usual bigint;
    short bigint;
    long bigint;
    pieces bigint;
BEGIN
    EXECUTE format('DELETE FROM @scale@.%I WHERE roles = ''{}'' AND NOT is_first', name);
    EXECUTE format('SELECT greatest(100, 2 * sqrt(greatest(sum(number), 0)))::bigint FROM @scale@.%I', name) INTO usual;
    -- The last ones first, so that the others keep their places.
    FOR short IN EXECUTE format('SELECT stretch
        FROM (SELECT stretch, number, lag(number) OVER (ORDER BY stretch) AS before FROM (%s) AS s) AS m
        WHERE stretch %% 2 = $1 AND before + number < $2 ORDER BY stretch DESC LIMIT $3', stretches)
        USING parity, usual, joins
    LOOP
        EXECUTE format('DELETE FROM @scale@.%I WHERE ctid = (SELECT place FROM (%s) AS m WHERE stretch = $1)',
            name, stretches) USING short;
        PERFORM @scale@.recount(name, key, direction, short - 1, short - 1);
    END LOOP;
    FOR long IN EXECUTE format('SELECT stretch FROM (%s) AS m
        WHERE number > 2 * $1 AND number <= $2 ORDER BY stretch DESC', stretches) USING usual, most
    LOOP
        EXECUTE format('INSERT INTO @scale@.%I SELECT false, key, id, 0, ''{}'', ''{}''
            FROM (SELECT key, id, row_number() OVER (ORDER BY key %s, id) AS place FROM (%s) AS u) AS p
            WHERE place %% %s = 0 AND key IS NOT NULL ON CONFLICT DO NOTHING', name, direction,
            @scale@.users_of(name, key, direction, long, long), usual);
        GET DIAGNOSTICS pieces = ROW_COUNT;
        PERFORM @scale@.recount(name, key, direction, long, long + pieces);
    END LOOP;
END $body$;

-- Takes changes into the marks when they are due. It runs while an application commits, and so does no more than
-- is in proportion to what that has written. To compile a plan takes longer than all of that.
CREATE FUNCTION @scale@.tend() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    asked bigint;
BEGIN
    -- In the midst of another statement there may be users of whom the changes do not tell yet, and in an older
    -- snapshot marks that others have changed.
    IF pg_trigger_depth() > 1 OR current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted')
        OR NOT pg_try_advisory_xact_lock('@scale@.changes'::regclass::oid::int, 0) THEN
        RETURN NULL;
    END IF;
    -- A transaction that has asked many times is answered once, and takes little in for others.
    WITH gone AS (DELETE FROM @scale@.due RETURNING most, xmin = pg_current_xact_id()::xid AS is_own)
    SELECT least(coalesce(sum(most), 0), 2000000, greatest(coalesce(sum(most) FILTER (WHERE is_own), 0), 50000))
    INTO asked FROM gone;
    PERFORM @scale@.take_in(asked);
    -- Where many changes are left, a stretch may have far more users than its mark says. And they are gone
    -- through again and again, as is the room of those that were there.
    IF asked > 0 AND NOT EXISTS (SELECT FROM @scale@.changes OFFSET 50000)
        AND pg_relation_size('@scale@.changes') < 16777216 THEN
        BEGIN
            PERFORM @scale@.part(name, key, direction, asked, 3) FROM @scale@.orders();
        EXCEPTION WHEN OTHERS THEN
            RAISE LOG 'mod_useradmin: marks were not parted: %', SQLERRM;
        END;
    END IF;
    RETURN NULL;
EXCEPTION WHEN query_canceled OR OTHERS THEN
    -- The transaction is not ours, and the changes stay.
    RAISE LOG 'mod_useradmin: changes were not taken into the marks: %', SQLERRM;
    RETURN NULL;
END $body$;
CREATE CONSTRAINT TRIGGER tended AFTER INSERT ON @scale@.due DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION @scale@.tend();

-- Makes the marks of an order, or mends them: how many were wrong.
CREATE FUNCTION @scale@.mend_marks(order_name text, OUT corrected bigint) LANGUAGE plpgsql
SET search_path = pg_catalog, pg_temp SET jit = off AS $body$
DECLARE
    sort record;
    stretches bigint;
BEGIN
    -- Before the marks, as whoever truncates the users has it.
    EXECUTE 'LOCK TABLE ' || @scale@.own_table() || ' IN ACCESS SHARE MODE';
    PERFORM pg_advisory_xact_lock('@scale@.changes'::regclass::oid::int, 0);
    -- What nobody has taken in, since all who write are in older snapshots, or wrote too much at a time.
    WHILE EXISTS (SELECT FROM @scale@.changes OFFSET 5000) LOOP
        PERFORM @scale@.take_in(2000000);
    END LOOP;
    SELECT * INTO sort FROM @scale@.orders() WHERE name = order_name;
    EXECUTE format('SELECT count(*) FROM @scale@.%I', order_name) INTO stretches;
    IF stretches = 0 THEN
        EXECUTE format('INSERT INTO @scale@.%I VALUES (true, NULL, NULL, 0, ''{}'', ''{}'')', order_name);
        PERFORM @scale@.recount(sort.name, sort.key, sort.direction, 1, 1);
        corrected := 0;
    ELSE
        corrected := @scale@.recount(sort.name, sort.key, sort.direction, 1, stretches);
    END IF;
    PERFORM @scale@.part(sort.name, sort.key, sort.direction, 9223372036854775807, 1000);
    EXECUTE format('ANALYZE @scale@.%I', order_name);
END $body$;

-- Now and then after so many changes, asks that they are taken into the marks.
CREATE FUNCTION @scale@.note(changes bigint) RETURNS void LANGUAGE plpgsql AS $body$
BEGIN
    IF random() < 0.001 * changes THEN
        INSERT INTO @scale@.due VALUES (20000 + 2 * changes);
    END IF;
END $body$;

-- The functions of the triggers that look for rows of the copy keep to the indexes: their plans are made
-- once for a connection, and that of a change of many users would read the whole copy for one.

-- Users were made, one or, by COPY, many. One takes a short way.
CREATE OR REPLACE FUNCTION @scale@.inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp AS $body$
DECLARE
    one_id @scale@.users.id%TYPE;
    one_created @scale@.users.created%TYPE;
    one_role text;
    one_folded text;
    one_name text;
    one_email text;
    one_by_update @scale@.changes.by_update%TYPE;
    is_one boolean;
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    SELECT @id@, @created@, @role@, @scale@.searched(@name@, @email@), @name@, @email@, @updated@,
        NOT EXISTS (SELECT FROM useradmin_new OFFSET 1)
    INTO one_id, one_created, one_role, one_folded, one_name, one_email, one_by_update, is_one FROM useradmin_new;
    IF is_one THEN
        -- As key does; to begin its expression costs as much as the row.
        IF octet_length(one_name) + octet_length(one_email) = length(one_name) + length(one_email) THEN
            INSERT INTO @scale@.changes
            VALUES (lower(one_name COLLATE "C"), lower(one_email COLLATE "C"), one_by_update, one_id, one_role, 1);
        ELSE
            INSERT INTO @scale@.changes
            VALUES (@scale@.key(one_name), @scale@.key(one_email), one_by_update, one_id, one_role, 1);
        END IF;
        INSERT INTO @scale@.users (id, created, role, folded) VALUES (one_id, one_created, one_role, one_folded)
        ON CONFLICT DO NOTHING;
        IF FOUND THEN
            PERFORM @scale@.add_one(one_role, @scale@.day(one_created));
        END IF;
        IF random() < 0.001 THEN
            PERFORM @scale@.note(1000);
        END IF;
        RETURN NULL;
    END IF;
    INSERT INTO @scale@.changes
    SELECT @scale@.key(@name@::text), @scale@.key(@email@::text), @updated@, @id@, @role@, 1 FROM useradmin_new;
    WITH made AS (
        INSERT INTO @scale@.users AS s (id, created, role, folded)
        SELECT @id@, @created@, @role@, @scale@.searched(@name@, @email@)
        FROM useradmin_new
        ON CONFLICT DO NOTHING
        RETURNING s.role, @scale@.day(s.created) AS day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers
    FROM (SELECT role, day, count(*) AS number FROM made GROUP BY role, day) AS c;
    PERFORM @scale@.add(roles, days, numbers);
    PERFORM @scale@.note(count(*)) FROM useradmin_new;
    RETURN NULL;
END $body$;

-- A trigger of the application may change or delete users within the statement that changes them. The copy
-- is told of that first, and then of the statement, with what it had made of them before. So whatever is done
-- within a trigger leaves a mark in its transaction, behind which users are looked up as they are by now.

-- Takes the rows of these users out of the copy.
CREATE OR REPLACE FUNCTION @scale@.take_out(ids @id_type@[]) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    WITH gone AS (
        DELETE FROM @scale@.users s WHERE s.id = ANY (ids) RETURNING s.role, @scale@.day(s.created) AS day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers
    FROM (SELECT role, day, -count(*) AS number FROM gone GROUP BY role, day) AS c;
    PERFORM @scale@.add(roles, days, numbers);
END $body$;

-- Takes them out, and puts those in that there are. The table goes by the name that it has by now, too.
CREATE OR REPLACE FUNCTION @scale@.renew(users regclass, ids @id_type@[]) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    PERFORM @scale@.take_out(ids);
    EXECUTE $query$
    WITH made AS (
        INSERT INTO @scale@.users AS s (id, created, role, folded)
        SELECT @id@, @created@, @role@, @scale@.searched(@name@, @email@)
        FROM $query$ || users || $query$ WHERE @id@ = ANY ($1)
        ON CONFLICT DO NOTHING
        RETURNING s.role, @scale@.day(s.created) AS day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number)
    FROM (SELECT role, day, count(*) AS number FROM made GROUP BY role, day) AS c
    $query$ INTO roles, days, numbers USING ids;
    PERFORM @scale@.add(roles, days, numbers);
END $body$;

-- Users were changed: their rows in the copy are replaced, unless they say the same.
CREATE OR REPLACE FUNCTION @scale@.updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
    written bigint;
BEGIN
    INSERT INTO @scale@.changes
    SELECT @scale@.key(name), @scale@.key(email), updated, id, role, sum(number)
    FROM (SELECT @name@::text COLLATE "C", @email@::text COLLATE "C", @updated@, @id@, @role@, -1 FROM useradmin_old
          UNION ALL SELECT @name@::text COLLATE "C", @email@::text COLLATE "C", @updated@, @id@, @role@, 1 FROM useradmin_new)
        AS c (name, email, updated, id, role, number)
    GROUP BY name, email, updated, id, role HAVING sum(number) <> 0;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM @scale@.note(written);
    IF NOT EXISTS (SELECT @id@, @created@, @role@, @name@, @email@ FROM useradmin_old
                   EXCEPT ALL SELECT @id@, @created@, @role@, @name@, @email@ FROM useradmin_new) THEN
        RETURN NULL;
    END IF;
    IF current_setting('useradmin.nested', true) = 'on' THEN
        PERFORM @scale@.renew(TG_RELID, ARRAY(SELECT @id@ FROM useradmin_old UNION SELECT @id@ FROM useradmin_new));
        RETURN NULL;
    END IF;
    IF pg_trigger_depth() > 1 THEN
        PERFORM set_config('useradmin.nested', 'on', true);
    END IF;
    WITH gone AS (
        DELETE FROM @scale@.users s USING (SELECT @id@ AS id FROM useradmin_old) AS o WHERE s.id = o.id
        RETURNING s.role, @scale@.day(s.created) AS day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers
    FROM (SELECT role, day, -count(*) AS number FROM gone GROUP BY role, day) AS c;
    WITH made AS (
        INSERT INTO @scale@.users AS s (id, created, role, folded)
        SELECT @id@, @created@, @role@, @scale@.searched(@name@, @email@)
        FROM useradmin_new
        ON CONFLICT DO NOTHING
        RETURNING s.role, @scale@.day(s.created) AS day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers
    FROM (SELECT role, day, sum(number) AS number
          FROM (SELECT role, day, 1 AS number FROM made
                UNION ALL SELECT * FROM unnest(roles, days, numbers)) AS a (role, day, number)
          GROUP BY role, day HAVING sum(number) <> 0) AS c;
    PERFORM @scale@.add(roles, days, numbers);
    RETURN NULL;
END $body$;

-- Users were deleted.
CREATE OR REPLACE FUNCTION @scale@.deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
DECLARE
    written bigint;
BEGIN
    INSERT INTO @scale@.changes
    SELECT @scale@.key(@name@::text), @scale@.key(@email@::text), @updated@, @id@, @role@, -1 FROM useradmin_old;
    GET DIAGNOSTICS written = ROW_COUNT;
    PERFORM @scale@.note(written);
    IF pg_trigger_depth() > 1 THEN
        PERFORM set_config('useradmin.nested', 'on', true);
    END IF;
    PERFORM @scale@.take_out(ARRAY(SELECT @id@ FROM useradmin_old));
    RETURN NULL;
END $body$;

-- All users are gone. The rows are deleted one by one: to truncate the copy would wait for the lists that
-- are being read, which may wait for the user table in turn.
CREATE OR REPLACE FUNCTION @scale@.truncated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $body$
DECLARE
    sort record;
    is_older boolean := current_setting('transaction_isolation') NOT IN ('read committed', 'read uncommitted');
BEGIN
    -- A snapshot that is older than others' changes shows not all that must go.
    IF is_older THEN
        TRUNCATE @scale@.users, @scale@.counts, @scale@.changes;
    END IF;
    DELETE FROM @scale@.users;
    DELETE FROM @scale@.counts;
    DELETE FROM @scale@.changes;
    FOR sort IN SELECT * FROM @scale@.orders() LOOP
        IF is_older THEN
            EXECUTE format('TRUNCATE @scale@.%I', sort.name);
        END IF;
        EXECUTE format('WITH gone AS (DELETE FROM @scale@.%I)
            INSERT INTO @scale@.%1$I VALUES (true, NULL, NULL, 0, ''{}'', ''{}'')', sort.name);
    END LOOP;
    RETURN NULL;
END $body$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @scale@ FROM PUBLIC;
