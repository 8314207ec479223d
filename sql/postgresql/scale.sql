-- What makes long lists quick on PostgreSQL 13 and later: a copy of what lists look for, with counts.
--
-- "useradminctl schema --scale" lays it beside the user table, in a schema of its own, and fills it;
-- "useradminctl schema --no-scale" takes it away. What stands between at signs is filled in: @scale@
-- is the schema, @user@ the user table, @id@, @name@, @email@, @role@ and @created@ are expressions
-- over its columns, @day@ is the day of "created" in UTC, @trigrams@ the operator class of pg_trgm.
--
-- Each transaction changes the user table, the copy and the counts together. So in whatever
-- snapshot they are looked at, the copy is what was counted. No writer waits for another one here.

CREATE SCHEMA @scale@;

-- The code points that are not what they are folded to: "Á" and "a", "ß" and "ss". It is filled with
-- what the service's own folding says.
CREATE TABLE @scale@.folds (
    point  text COLLATE "C" PRIMARY KEY,
    folded text COLLATE "C" NOT NULL
);

-- A row a user: the columns that lists are sorted by, of the same types, and the name and the address
-- as searches compare them.
CREATE TABLE @scale@.users AS SELECT @id@ AS id, @created@ AS created FROM @user@ WITH NO DATA;
ALTER TABLE @scale@.users
    ADD PRIMARY KEY (id),
    ALTER COLUMN created SET NOT NULL,
    ADD COLUMN role text COLLATE "C" NOT NULL,
    ADD COLUMN folded text COLLATE "C" NOT NULL;

-- How many users a role has, and of those how many were created on a day. The number is the sum of
-- the slots: a transaction that changes it has a slot to itself until it ends.
CREATE TABLE @scale@.totals (
    role   text COLLATE "C" NOT NULL,
    slot   bigint NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (role, slot)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
CREATE TABLE @scale@.days (
    day    date NOT NULL,
    role   text COLLATE "C" NOT NULL,
    slot   bigint NOT NULL,
    number bigint NOT NULL,
    PRIMARY KEY (day, role, slot)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- The slots that are used once: those of transactions that may not see what others have committed.
CREATE SEQUENCE @scale@.single_slots MINVALUE 1000;

-- A text as searches compare it: case and accents folded away. What is not ASCII is written in capital
-- letters, which no folded text has: so the trigrams of every script are letters whatever the
-- database's collation takes for such.
CREATE FUNCTION @scale@.fold(original text) RETURNS text LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $$
DECLARE
    folded text;
BEGIN
    IF octet_length(original) = length(original) THEN
        RETURN lower(original COLLATE "C");
    END IF;
    -- A subquery, so that each point is looked up in the index whatever the planner thinks of it.
    SELECT string_agg(coalesce((SELECT f.folded FROM @scale@.folds f WHERE f.point = p.point COLLATE "C"), p.point),
                      '' ORDER BY p.place) INTO folded
    FROM regexp_split_to_table(original, '') WITH ORDINALITY AS p (point, place);
    SELECT string_agg(CASE
            WHEN code < 128 THEN chr(code)
            WHEN code < 12167 THEN 'Z' || chr(65 + code % 23) || chr(65 + code / 23 % 23) || chr(65 + code / 529)
            ELSE 'Y' || chr(65 + code % 23) || chr(65 + code / 23 % 23) || chr(65 + code / 529 % 23)
                || chr(65 + code / 12167 % 23) || CASE WHEN code < 279841 THEN '' ELSE 'X' || chr(65 + code / 279841) END
        END, '' ORDER BY place) INTO folded
    FROM (SELECT place, ascii(point) AS code
          FROM regexp_split_to_table(normalize(folded, NFC), '') WITH ORDINALITY AS p (point, place)) AS c;
    RETURN coalesce(folded, '');
END $$;

-- Adds to the counts of a role and day, for each of the arrays' places.
CREATE FUNCTION @scale@.add(roles text[], days date[], numbers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    own bigint;
BEGIN
    -- Under the other isolation levels, a row that was changed since the transaction began could not
    -- be changed: the application's own work would fail.
    IF current_setting('transaction_isolation') = 'read committed' THEN
        FOR slot IN 0..31 LOOP
            IF pg_try_advisory_xact_lock('@scale@.totals'::regclass::oid::int, slot) THEN
                own := slot;
                EXIT;
            END IF;
        END LOOP;
    END IF;
    own := coalesce(own, nextval('@scale@.single_slots'));
    INSERT INTO @scale@.totals AS t (role, slot, number)
    SELECT a.role, own, sum(a.number) FROM unnest(roles, numbers) AS a (role, number)
    GROUP BY a.role HAVING sum(a.number) <> 0
    ON CONFLICT (role, slot) DO UPDATE SET number = t.number + excluded.number;
    INSERT INTO @scale@.days AS d (day, role, slot, number)
    SELECT a.day, a.role, own, a.number FROM unnest(days, roles, numbers) AS a (day, role, number)
    ON CONFLICT (day, role, slot) DO UPDATE SET number = d.number + excluded.number;
END $$;

-- Users were made, or came by COPY.
CREATE FUNCTION @scale@.inserted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    WITH made AS (
        INSERT INTO @scale@.users AS s (id, created, role, folded)
        SELECT @id@, @created@, @role@, @folded@ FROM useradmin_new
        ON CONFLICT DO NOTHING
        RETURNING s.role, @day@ AS day
    ), counted AS (
        SELECT role, day, count(*) AS number FROM made GROUP BY role, day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers FROM counted;
    IF roles IS NOT NULL THEN
        PERFORM @scale@.add(roles, days, numbers);
    END IF;
    RETURN NULL;
END $$;

-- Users were changed: of those whose row in the copy is another one now, it is replaced.
CREATE FUNCTION @scale@.updated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    IF NOT EXISTS (SELECT @id@, @created@, @role@, @name@, @email@ FROM useradmin_old
                   EXCEPT ALL SELECT @id@, @created@, @role@, @name@, @email@ FROM useradmin_new) THEN
        RETURN NULL;
    END IF;
    WITH gone AS (
        DELETE FROM @scale@.users s USING useradmin_old AS o WHERE s.id = o.@id@
        RETURNING s.role, @day@ AS day
    ), counted AS (
        SELECT role, day, -count(*) AS number FROM gone GROUP BY role, day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers FROM counted;
    WITH made AS (
        INSERT INTO @scale@.users AS s (id, created, role, folded)
        SELECT @id@, @created@, @role@, @folded@ FROM useradmin_new
        ON CONFLICT DO NOTHING
        RETURNING s.role, @day@ AS day
    ), counted AS (
        SELECT role, day, sum(number) AS number
        FROM (SELECT role, day, 1 AS number FROM made
              UNION ALL SELECT * FROM unnest(roles, days, numbers)) AS a (role, day, number)
        GROUP BY role, day HAVING sum(number) <> 0
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers FROM counted;
    IF roles IS NOT NULL THEN
        PERFORM @scale@.add(roles, days, numbers);
    END IF;
    RETURN NULL;
END $$;

-- Users were deleted.
CREATE FUNCTION @scale@.deleted() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    roles text[];
    days date[];
    numbers bigint[];
BEGIN
    WITH gone AS (
        DELETE FROM @scale@.users s USING useradmin_old AS o WHERE s.id = o.@id@
        RETURNING s.role, @day@ AS day
    ), counted AS (
        SELECT role, day, -count(*) AS number FROM gone GROUP BY role, day
    )
    SELECT array_agg(role), array_agg(day), array_agg(number) INTO roles, days, numbers FROM counted;
    IF roles IS NOT NULL THEN
        PERFORM @scale@.add(roles, days, numbers);
    END IF;
    RETURN NULL;
END $$;

-- All users are gone. The rows are deleted one by one: a list that is being read would else have to be
-- waited for, and wait in turn.
CREATE FUNCTION @scale@.truncated() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM @scale@.users;
    DELETE FROM @scale@.totals;
    DELETE FROM @scale@.days;
    RETURN NULL;
END $$;
