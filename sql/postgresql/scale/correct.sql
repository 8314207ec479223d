-- Corrects the counts while other sessions write. The first lock blocks TRUNCATE, and the second
-- blocks other corrections.

LOCK TABLE @user@ IN ROW EXCLUSIVE MODE;
LOCK TABLE @scale@.counts IN SHARE UPDATE EXCLUSIVE MODE;
-- Concurrent writes do not affect the differences, because one snapshot contains both the users and
-- the counts. Returns the number of wrong counts.
WITH wrong AS (
    INSERT INTO @scale@.counts
    SELECT role, is_banned, is_verified, sum(number)
    FROM (SELECT @counted@, count(*) AS number FROM @user@ GROUP BY 1, 2, 3
          UNION ALL SELECT role, is_banned, is_verified, -number FROM @scale@.counts) AS c
    GROUP BY 1, 2, 3 HAVING sum(number) <> 0 RETURNING role
)
SELECT count(*) FROM wrong;
