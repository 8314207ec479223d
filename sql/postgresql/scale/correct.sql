-- Corrects the counts during concurrent writes. The first lock blocks TRUNCATE; the second blocks
-- other corrections.

LOCK TABLE @user@ IN ROW EXCLUSIVE MODE;
LOCK TABLE @scale@.counts IN SHARE UPDATE EXCLUSIVE MODE;
-- Within one snapshot, the differences are exact despite concurrent writes. Returns the number of
-- wrong counts.
WITH wrong AS (
    INSERT INTO @scale@.counts
    SELECT role, is_banned, is_verified, sum(number)
    FROM (SELECT @counted@, count(*) AS number FROM @user@ GROUP BY 1, 2, 3
          UNION ALL SELECT role, is_banned, is_verified, -number FROM @scale@.counts) AS c
    GROUP BY 1, 2, 3 HAVING sum(number) <> 0 RETURNING role
)
SELECT count(*) FROM wrong;
