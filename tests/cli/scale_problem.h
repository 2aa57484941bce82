/* The problem of a kernel scale(const float *in, float *out, int n). */
#ifndef HT_TESTS_CLI_SCALE_PROBLEM_H
#define HT_TESTS_CLI_SCALE_PROBLEM_H

#define SCALE_PROBLEM                                                                              \
    "{ \"format\": \"hiptemper-problem\", \"version\": 1, \"kernels\": [ {\n"                      \
    "  \"kernel\": \"scale\", \"problem\": \"line : n\",\n"                                        \
    "  \"args\": [\"in : in float[problem.n]\", \"out : out float[problem.n]\", "                  \
    "\"n : int = problem.n\"],\n"                                                                  \
    "  \"host\": {\"n\": \"problem.n\"},\n"                                                        \
    "  \"instances\": [ {\"name\": \"a\", \"fields\": {\"n\": 1000}} ] } ] }\n"

#endif
