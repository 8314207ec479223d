-- Waits for the transactions that began before: one with an old snapshot may delete a user and not see the
-- row that the copy got of it meanwhile. An index that is made like this waits for them.

CREATE INDEX CONCURRENTLY IF NOT EXISTS folds_waiting ON @scale@.folds (folded);
DROP INDEX CONCURRENTLY @scale@.folds_waiting;
