-- The service uses the copy from now on.

ANALYZE @scale@.folds;
ANALYZE @scale@.users;
ANALYZE @scale@.counts;
COMMENT ON SCHEMA @scale@ IS @mark@;
