-- The functions of the search index. They are never replaced while the index exists, because the
-- index contains their results. They name the schema of each function and operator that they call,
-- because a SET clause would prevent inlining.

-- Returns the text in lower case and without accents. Encodes each non-ASCII code point as capital
-- letters, which do not occur in folded ASCII text. Trigrams therefore consist of letters in every
-- script, regardless of the database's collation. Z, Y and YX start a code point. The letters that
-- follow are its digits in base 23.
CREATE FUNCTION @scale@.fold_unicode(original text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $body$
DECLARE
    folded text := pg_catalog.regexp_replace(normalize(original COLLATE pg_catalog."C", NFD), '[\u0300-\u036f]', '', 'g');
BEGIN
    IF pg_catalog.octet_length(folded) OPERATOR(pg_catalog.=) pg_catalog.length(folded) THEN
        RETURN pg_catalog.lower(folded COLLATE pg_catalog."C");
    END IF;
    -- Replaces the code points that the service's folding changes.
    SELECT normalize(pg_catalog.string_agg(coalesce(@folds@::pg_catalog.jsonb OPERATOR(pg_catalog.->>) point, point),
                                           '' ORDER BY place), NFC) INTO folded
    FROM pg_catalog.unnest(pg_catalog.string_to_array(original, NULL)) WITH ORDINALITY AS p (point, place);
    SELECT pg_catalog.string_agg(CASE
            WHEN code OPERATOR(pg_catalog.<) 128 THEN pg_catalog.chr(code)
            ELSE pg_catalog.concat(
                CASE WHEN code OPERATOR(pg_catalog.<) 12167 THEN 'Z'
                    WHEN code OPERATOR(pg_catalog.<) 279841 THEN 'Y'
                    ELSE pg_catalog.concat('YX', @scale@.digit(code, 279841)) END,
                @scale@.digit(code, 1), @scale@.digit(code, 23), @scale@.digit(code, 529),
                CASE WHEN code OPERATOR(pg_catalog.>=) 12167 THEN @scale@.digit(code, 12167) END)
        END, '' ORDER BY place) INTO folded
    FROM (SELECT place, pg_catalog.ascii(point) AS code
          FROM pg_catalog.unnest(pg_catalog.string_to_array(folded, NULL)) WITH ORDINALITY AS p (point, place)) AS c;
    -- The variable is NULL if the text consists only of combining marks.
    RETURN coalesce(folded, '');
END $body$;

CREATE FUNCTION @scale@.digit(code integer, value integer) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT pg_catalog.chr(65 OPERATOR(pg_catalog.+)
                          ((code OPERATOR(pg_catalog./) value) OPERATOR(pg_catalog.%) 23))
$body$;

CREATE FUNCTION @scale@.fold(original text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT CASE WHEN pg_catalog.octet_length(original) OPERATOR(pg_catalog.=) pg_catalog.length(original)
        THEN pg_catalog.lower(original COLLATE pg_catalog."C") ELSE @scale@.fold_unicode(original) END
$body$;

-- Returns the text to search: the folded name and address, separated by U+0001.
CREATE FUNCTION @scale@.searched(name text, email text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
    SELECT coalesce(@scale@.fold(name), '') OPERATOR(pg_catalog.||) E'\x01' OPERATOR(pg_catalog.||)
        coalesce(@scale@.fold(email), '')
$body$;
