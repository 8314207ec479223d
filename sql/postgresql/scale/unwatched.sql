-- A copy that no trigger reaches.

DROP SCHEMA @scale@ CASCADE;
