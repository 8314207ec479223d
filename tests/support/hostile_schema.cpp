#include "support/hostile_schema.hpp"

namespace useradmin::test {

std::string hostile_schema() {
    return R"sql(
CREATE SCHEMA hostile;
CREATE FUNCTION hostile.run() RETURNS boolean LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'hostile code ran'; END$$;
DO $do$
DECLARE
    types text[] := '{text,varchar,bpchar,name,oid,regclass,"\"char\"",bool,int2,int4,int8,timestamptz,uuid,jsonb,tid}';
    operators text[] := '{=,<>,<,<=,>,>=,||,-,+,~~,~~*,!~~,~}';
    a text;
    b text;
    o text;
    p record;
BEGIN
    FOREACH a IN ARRAY types LOOP
        FOREACH b IN ARRAY types LOOP
            EXECUTE format('CREATE FUNCTION hostile.operate(%s, %s) RETURNS bool LANGUAGE plpgsql AS '
                '$$BEGIN RAISE EXCEPTION ''hostile code ran: an operator of %s and %s''; END$$', a, b, a, b);
            FOREACH o IN ARRAY operators LOOP
                EXECUTE format('CREATE OPERATOR hostile.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = hostile.operate)',
                    o, a, b);
            END LOOP;
        END LOOP;
    END LOOP;
    -- The system's functions, with their own arguments and for those of type varchar, name and oid.
    FOR p IN
        SELECT DISTINCT ON (1, 2) f.proname, replaced.arguments, f.prorettype::regtype::text AS result
        FROM pg_proc f, LATERAL (SELECT pg_get_function_identity_arguments(f.oid) AS own) identity,
            LATERAL (VALUES (own), (replace(own, 'text', 'varchar')), (replace(own, 'text', 'name')),
                (replace(own, 'regclass', 'oid'))) replaced (arguments)
        WHERE f.pronamespace = 'pg_catalog'::regnamespace AND f.prokind = 'f' AND f.proretset = false
            AND f.prorettype <> 'internal'::regtype AND f.proname IN ('lower', 'length', 'substr', 'strpos',
            'translate', 'encode', 'sha256', 'convert_to', 'to_char', 'to_jsonb', 'regexp_replace', 'repeat',
            'current_setting', 'set_config', 'format_type', 'has_schema_privilege', 'has_table_privilege',
            'has_column_privilege', 'to_regclass', 'quote_ident', 'pg_get_indexdef', 'current_database',
            'current_schema', 'concat', 'left', 'starts_with', 'obj_description', 'row_security_active')
            AND f.provariadic = 0
    LOOP
        EXECUTE format('CREATE FUNCTION hostile.%I(%s) RETURNS %s LANGUAGE plpgsql AS '
            '$$BEGIN RAISE EXCEPTION ''hostile code ran: %s''; END$$', p.proname, p.arguments, p.result, p.proname);
    END LOOP;
END
$do$;
CREATE FUNCTION hostile.step(bigint) RETURNS bigint LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'hostile code ran: count'; END$$;
CREATE FUNCTION hostile.step(bigint, int) RETURNS bigint LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'hostile code ran: sum'; END$$;
CREATE FUNCTION hostile.step(text, text) RETURNS text LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'hostile code ran: min'; END$$;
CREATE AGGREGATE hostile.count(*) (SFUNC = hostile.step, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE hostile.sum(int) (SFUNC = hostile.step, STYPE = bigint, INITCOND = '0');
CREATE AGGREGATE hostile.min(text) (SFUNC = hostile.step, STYPE = text, INITCOND = '');
CREATE TYPE hostile.word AS (word pg_catalog.text);
CREATE FUNCTION hostile.word(pg_catalog.text) RETURNS hostile.word LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'hostile code ran: a cast'; END$$;
CREATE CAST (pg_catalog.text AS hostile.word) WITH FUNCTION hostile.word(pg_catalog.text) AS IMPLICIT;
CREATE FUNCTION hostile.lower(hostile.word) RETURNS pg_catalog.text LANGUAGE plpgsql AS
    $$BEGIN RAISE EXCEPTION 'hostile code ran: lower'; END$$;
-- Last, because these domains hide the built-in types if the search_path starts with this schema.
CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (hostile.run());
CREATE DOMAIN hostile.oid AS pg_catalog.oid CHECK (hostile.run());
CREATE DOMAIN hostile.regclass AS pg_catalog.regclass CHECK (hostile.run());
)sql";
}

} // namespace useradmin::test
