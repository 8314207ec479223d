/* Prints the median time of a single hash with libargon2 alone, in seconds.
 * hash KIB PASSES */
#include <argon2.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define TIMES 31

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int compare(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;

    return (a > b) - (a < b);
}

int main(int count, char **words)
{
    static const char password[] = "correct horse battery staple", salt[16] = "sixteen bytes ..";
    double seconds[TIMES];
    char text[256];
    int time;

    if (count != 3)
        return 2;
    for (time = 0; time < TIMES; ++time) {
        const double start = now();

        if (argon2id_hash_encoded((unsigned)atoi(words[2]), (unsigned)atoi(words[1]), 1, password,
                                  sizeof password - 1, salt, sizeof salt, 32, text, sizeof text) != ARGON2_OK)
            return 1;
        seconds[time] = now() - start;
    }
    qsort(seconds, TIMES, sizeof *seconds, compare);
    printf("%.9f\n", seconds[TIMES / 2]);
    return 0;
}
