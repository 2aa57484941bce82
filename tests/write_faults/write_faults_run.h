/* Runs a program of which one call that changes files fails (failing.c). */
#ifndef HT_TESTS_WRITE_FAULTS_RUN_H
#define HT_TESTS_WRITE_FAULTS_RUN_H

typedef struct faulty_result {
    int code;    /* exit code; 128 + signal when it was killed */
    char *said;  /* standard output and error together */
    char *fault; /* "17 write /path\n": the call that failed; "" when there were fewer; NULL: none
                    was asked for */
    long count;  /* calls */
} faulty_result;

/* In `folder`, with temporary files and a home below `aside`. `wanted`: the call that fails, from
 * 1; 0: none does. */
void faulty_run(const char *folder, const char *aside, const char *const *arguments, long wanted,
                faulty_result *out);
void faulty_free(faulty_result *result);

#endif
