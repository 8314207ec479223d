-- What useradminctl goes through users and copy with. It is made anew before each use: the user table may have another
-- name or schema than it had, and an older copy has older functions.

-- By one at a time.
SELECT pg_advisory_xact_lock('@scale@.users'::regclass::oid::int, 0);

-- What searches look at of a user. A text of ASCII alone, as most are, is not looked up by its points;
-- of a user without a name or an address, an empty one is.
CREATE OR REPLACE FUNCTION @scale@.searched(name text, email text) RETURNS text LANGUAGE sql STABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN octet_length(name) = length(name) AND octet_length(email) = length(email)
        THEN lower(name COLLATE "C") || E'\x01' || lower(email COLLATE "C")
        ELSE coalesce(@scale@.fold(name), '') || E'\x01' || coalesce(@scale@.fold(email), '') END
$body$;

-- Fills and mends the copy, so many users at a time, in the order of their ids from the one after the
-- given one on: the last id that was looked at, how many users those were, and how many rows were
-- missing or wrong. Users that somebody is changing are left out; their own transactions tell the copy.
CREATE OR REPLACE FUNCTION @scale@.mend(after text, most integer, OUT last text, OUT seen bigint, OUT mended bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_custom_plan AS $body$
DECLARE
    first_id @scale@.users.id%TYPE := after;
    ids @id_type@[];
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    -- Locked first and looked at afterwards: what the next statement sees of them stays so.
    SELECT array_agg(p.id ORDER BY p.id), count(*) INTO ids, seen
    FROM (SELECT @id@ AS id FROM @user@ WHERE after IS NULL OR @id@ > first_id
          ORDER BY @id@ LIMIT most FOR SHARE SKIP LOCKED) AS p;
    last := ids[seen]::text;
    WITH wrong AS MATERIALIZED (
        SELECT p.*, s.id IS NOT NULL AS was_there, s.created AS old_created, s.role AS old_role
        FROM (SELECT @id@ AS id, @created@ AS created, @role@ AS role,
                     @scale@.searched(@name@, @email@) AS folded
              FROM @user@ WHERE @id@ = ANY (ids)) AS p
        LEFT JOIN @scale@.users s ON s.id = p.id
        WHERE s.id IS NULL OR s.created <> p.created OR s.role <> p.role OR s.folded <> p.folded
    ), written AS (
        INSERT INTO @scale@.users AS s (id, created, role, folded)
        SELECT id, created, role, folded FROM wrong
        ON CONFLICT (id) DO UPDATE SET created = excluded.created, role = excluded.role, folded = excluded.folded
    )
    SELECT array_agg(role), array_agg(day), array_agg(number), (SELECT count(*) FROM wrong)
    INTO roles, days, numbers, mended
    FROM (SELECT role, day, sum(number) AS number
          FROM (SELECT role, @scale@.day(created) AS day, 1 AS number FROM wrong
                UNION ALL SELECT old_role, @scale@.day(old_created), -1 FROM wrong WHERE was_there) AS a
          GROUP BY role, day HAVING sum(number) <> 0) AS c;
    PERFORM @scale@.add(roles, days, numbers);
END $body$;

-- Takes rows out of the copy whose users are gone, and corrects the counts to those of the copy: how many
-- rows there were, and how many counts that were wrong.
CREATE OR REPLACE FUNCTION @scale@.sweep(OUT gone bigint, OUT corrected bigint) LANGUAGE plpgsql AS $body$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    WITH gone_rows AS (
        DELETE FROM @scale@.users s WHERE NOT EXISTS (SELECT FROM @user@ u WHERE u.@id@ = s.id)
        RETURNING s.role, @scale@.day(s.created) AS day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number), coalesce(-sum(number), 0)
    INTO roles, days, numbers, gone
    FROM (SELECT role, day, -count(*) AS number FROM gone_rows GROUP BY role, day) AS c;
    PERFORM @scale@.add(roles, days, numbers);
    -- In one snapshot the difference is the same whoever is writing.
    INSERT INTO @scale@.counts (span, start, role, slot, number)
    SELECT span, start, role, nextval('@scale@.single_slots'), sum(number)
    FROM (SELECT s.span, s.start, u.role, u.number
          FROM (SELECT @scale@.day(created) AS day, role, count(*) AS number FROM @scale@.users GROUP BY 1, 2) AS u
          CROSS JOIN @scale@.spans(u.day) AS s
          UNION ALL SELECT span, start, role, -number FROM @scale@.counts) AS a
    GROUP BY span, start, role HAVING sum(number) <> 0;
    GET DIAGNOSTICS corrected = ROW_COUNT;
END $body$;

-- How many users the copy lacks.
CREATE OR REPLACE FUNCTION @scale@.missing() RETURNS bigint LANGUAGE sql AS $body$
    SELECT count(*) FROM @user@ u WHERE NOT EXISTS (SELECT FROM @scale@.users s WHERE s.id = u.@id@)
$body$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @scale@ FROM PUBLIC;
