-- Corrects the counts during concurrent writes. The first lock blocks TRUNCATE, the second other
-- corrections.

LOCK TABLE @user@ IN ROW EXCLUSIVE MODE;
LOCK TABLE @scale@.counts IN SHARE UPDATE EXCLUSIVE MODE;
-- Within one snapshot, the difference is exact despite concurrent writes. It is the number of wrong
-- counts.
WITH wrong AS (
    INSERT INTO @scale@.counts
    SELECT role, sum(number)
    FROM (SELECT @counted_role@ AS role, count(*) AS number FROM @user@ GROUP BY 1
          UNION ALL SELECT role, -number FROM @scale@.counts) AS c
    GROUP BY role HAVING sum(number) <> 0 RETURNING role
)
SELECT count(*) FROM wrong;
