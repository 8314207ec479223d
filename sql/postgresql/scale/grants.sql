-- Every role that reads or writes users calls the functions of the search index. A restore without
-- privileges removes these grants.

GRANT USAGE ON SCHEMA @scale@ TO PUBLIC;
GRANT EXECUTE ON FUNCTION @scale@.fold_unicode(text), @scale@.digit(integer, integer), @scale@.fold(text),
    @scale@.searched(text, text) TO PUBLIC;
