-- What makes long lists quick on PostgreSQL 13 and later: a copy of what lists look for, with counts.
--
-- "useradminctl schema --scale" lays it beside the user table, in a schema of its own, and fills it;
-- "useradminctl schema --no-scale" takes it away. What stands between at signs is filled in: @scale@
-- is that schema, @user@ the user table, and @id@, @name@, @email@, @role@ and @created@ are its
-- columns. A statement ends with a semicolon at the end of a line, except in the body of a function.
--
-- Each transaction changes the user table, the copy and the counts together, so that in whatever
-- snapshot they are looked at, the counts are those of the copy. No writer waits for another one here.
-- The functions of its triggers are in marks.sql, which is laid after this.

DO $body$
DECLARE
    owner text := (SELECT quote_ident(pg_get_userbyid(relowner)::text) FROM pg_class WHERE oid = @user_text@::regclass);
BEGIN
    IF current_setting('server_encoding') <> 'UTF8' THEN
        RAISE 'the database must have the encoding UTF8';
    END IF;
    -- Rows that are written to another table of the family would not reach the copy.
    IF EXISTS (SELECT FROM pg_class WHERE oid = @user_text@::regclass AND relkind <> 'r')
        OR EXISTS (SELECT FROM pg_inherits WHERE @user_text@::regclass IN (inhparent, inhrelid)) THEN
        RAISE 'the user table must be a plain table, without partitions and heirs';
    END IF;
    IF (SELECT relrowsecurity FROM pg_class WHERE oid = @user_text@::regclass) THEN
        RAISE 'the user table must have no row security: the copy shows all rows';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_attribute WHERE attrelid = @user_text@::regclass AND attname = @created_text@
                   AND attnotnull AND atttypid IN ('timestamp'::regtype, 'timestamptz'::regtype)) THEN
        RAISE 'the user table''s time of creation must be a timestamp and NOT NULL';
    END IF;
    IF NOT EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_trgm') THEN
        RAISE 'the extension pg_trgm is missing: install PostgreSQL''s contrib package';
    END IF;
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    -- All of it is the table's owner's, and runs with the owner's rights and no more.
    EXECUTE 'CREATE SCHEMA @scale@ AUTHORIZATION ' || owner;
    EXECUTE 'SET LOCAL ROLE ' || owner;
END $body$;

-- The code points that are not what they are folded to: "Á" and "a", "ß" and "ss". It is filled with
-- what the service's own folding says.
CREATE TABLE @scale@.folds (
    point  text COLLATE "C" PRIMARY KEY,
    folded text COLLATE "C" NOT NULL
);

-- A row a user: the columns that lists are sorted by, of the same types, the role as the interface sees
-- it, and the name and the address as searches compare them, with U+0001 between.
CREATE TABLE @scale@.users AS SELECT @id@ AS id, @created@ AS created FROM @user@ WITH NO DATA;
ALTER TABLE @scale@.users
    ADD PRIMARY KEY (id),
    ALTER COLUMN created SET NOT NULL,
    ADD COLUMN role text COLLATE "C" NOT NULL,
    ADD COLUMN folded text COLLATE "C" NOT NULL;

-- How many users there are of a role: in all (span 0, start -infinity), and by the month (span 1) and the
-- day (span 2) on which they were created. The number is the sum of the slots: a transaction that
-- changes it has a slot to itself until it ends.
CREATE TABLE @scale@.counts (
    span   smallint NOT NULL,
    start  date NOT NULL,
    role   text COLLATE "C" NOT NULL,
    slot   bigint NOT NULL,
    number integer NOT NULL,
    PRIMARY KEY (span, start, role, slot)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);
-- Slots that are used once, by transactions that may not change what others have committed meanwhile.
CREATE SEQUENCE @scale@.single_slots MINVALUE 1000;

-- The day of a time, in UTC.
CREATE FUNCTION @scale@.day(moment timestamptz) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $body$ SELECT (moment AT TIME ZONE 'UTC')::date $body$;
CREATE FUNCTION @scale@.day(moment timestamp) RETURNS date LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $body$ SELECT moment::date $body$;

-- A text as searches compare it: case and accents folded away. What is not ASCII is written in capital
-- letters, which no folded text has: so the trigrams of every script are letters, whatever the database's
-- collation takes for such. Z, Y and YX begin a code point, and the other letters are its digits.
CREATE FUNCTION @scale@.fold(original text) RETURNS text LANGUAGE plpgsql STABLE STRICT PARALLEL SAFE AS $body$
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
            ELSE 'Y' || CASE WHEN code < 279841 THEN '' ELSE 'X' || chr(65 + code / 279841) END || chr(65 + code % 23)
                || chr(65 + code / 23 % 23) || chr(65 + code / 529 % 23) || chr(65 + code / 12167 % 23)
        END, '' ORDER BY place) INTO folded
    FROM (SELECT place, ascii(point) AS code
          FROM regexp_split_to_table(normalize(folded, NFC), '') WITH ORDINALITY AS p (point, place)
          WHERE point <> '') AS c;
    -- Nothing is left of marks alone.
    RETURN coalesce(folded, '');
END $body$;

-- What users of a role and a day add to the counts.
CREATE FUNCTION @scale@.spans(day date, OUT span smallint, OUT start date) RETURNS SETOF record
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    VALUES (0::smallint, '-infinity'::date), (1::smallint, date_trunc('month', day::timestamp)::date), (2::smallint, day)
$body$;

-- A slot that nobody else changes until this transaction ends.
CREATE FUNCTION @scale@.own_slot() RETURNS bigint LANGUAGE plpgsql AS $body$
BEGIN
    IF current_setting('transaction_isolation') IN ('read committed', 'read uncommitted') THEN
        FOR own IN 0..31 LOOP
            CONTINUE WHEN NOT pg_try_advisory_xact_lock('@scale@.counts'::regclass::oid::int, own);
            -- Now and then, the slots that were used once go into the first one.
            IF own = 0 AND random() < 0.01 THEN
                WITH gone AS (
                    DELETE FROM @scale@.counts WHERE ctid IN (
                        SELECT ctid FROM @scale@.counts WHERE slot >= 1000 LIMIT 1000 FOR UPDATE SKIP LOCKED)
                    RETURNING span, start, role, number
                ) INSERT INTO @scale@.counts AS c (span, start, role, slot, number)
                SELECT span, start, role, own, sum(number) FROM gone GROUP BY span, start, role
                ON CONFLICT (span, start, role, slot) DO UPDATE SET number = c.number + excluded.number;
            END IF;
            RETURN own;
        END LOOP;
    END IF;
    RETURN nextval('@scale@.single_slots');
END $body$;

-- Adds to the counts of a role and day, for each place of the arrays. Does nothing without arrays, which
-- array_agg gives of no rows.
CREATE FUNCTION @scale@.add(roles text[], days date[], numbers bigint[]) RETURNS void LANGUAGE plpgsql STRICT AS $body$
DECLARE
    own bigint := @scale@.own_slot();
BEGIN
    INSERT INTO @scale@.counts AS c (span, start, role, slot, number)
    SELECT s.span, s.start, a.role, own, sum(a.number)
    FROM unnest(roles, days, numbers) AS a (role, day, number) CROSS JOIN @scale@.spans(a.day) AS s
    GROUP BY s.span, s.start, a.role HAVING sum(a.number) <> 0
    ON CONFLICT (span, start, role, slot) DO UPDATE SET number = c.number + excluded.number;
END $body$;

-- Adds one user to the counts, without what it takes to group many.
CREATE FUNCTION @scale@.add_one(one_role text, day date) RETURNS void LANGUAGE plpgsql AS $body$
DECLARE
    own bigint := @scale@.own_slot();
BEGIN
    INSERT INTO @scale@.counts AS c (span, start, role, slot, number)
    SELECT s.span, s.start, one_role, own, 1 FROM @scale@.spans(day) AS s
    ON CONFLICT (span, start, role, slot) DO UPDATE SET number = c.number + excluded.number;
END $body$;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA @scale@ FROM PUBLIC;
