/* A template whose searches are compared, and one of its problems under way. Times come from a
 * tuning job, or from a table of predicted times (predicted.h): then all ways of searching, and
 * those who learn, find the same time for the same configuration, and the best one is known. */
#ifndef HT_BENCHMARKS_SEEDING_SUBJECT_H
#define HT_BENCHMARKS_SEEDING_SUBJECT_H

#include "pipeline/template_facts.h"
#include "runtime/job/job.h"
#include "runtime/store/database_earlier.h"
#include "search/earlier.h"
#include "search/strategy.h"

enum { HT_SEEDED_EVALS = 500, HT_SEEDED_REPEATS = 20, HT_SEEDED_SEEDS = 100 };

typedef struct ht_seeded_setup {
    ht_template *templates; /* the first one counts */
    size_t template_count;
    ht_device device;
    char *device_text; /* as the database has it */
    char *code;        /* the template's hash there */
    char **problems;
    size_t problem_count;
    size_t evals, repeats, seeds;
    ht_database_earlier tables; /* predicted times; count 0: configurations are measured */
} ht_seeded_setup;

/* `device` is one of ht_device_find, or model:NAME: then `tables` names the database. Ends the
 * program on an error. */
void ht_seeded_open(ht_seeded_setup *setup, const char *template, const char *problems,
                    const char *device, const char *tables);
void ht_seeded_close(ht_seeded_setup *setup);
const ht_template *ht_seeded_template(const ht_seeded_setup *setup);
/* The problem as the database has it; free(). */
char *ht_seeded_problem(const ht_seeded_setup *setup, size_t problem);

typedef struct ht_seeded_run {
    const ht_seeded_setup *setup;
    ht_problem problem;
    ht_binding binding;
    ht_space *space;
    ht_job *job;           /* NULL: the table answers */
    ht_database *database; /* of the job */
    const ht_database_earlier_run *table;
    ht_config *configs; /* of the table; owned */
    double *costs;      /* of those, ms; INFINITY: it failed; owned */
    size_t count;
    char *problem_text; /* owned */
    ht_database_key key;
    ht_template_facts *facts; /* NULL: none */
} ht_seeded_run;

/* `database` keeps what the job measures. */
void ht_seeded_begin(ht_seeded_run *run, const ht_seeded_setup *setup, size_t problem,
                     const char *database);
void ht_seeded_end(ht_seeded_run *run);
/* The time of a configuration in the table, ms; INFINITY: it failed, or is not there. */
double ht_seeded_cost(const ht_seeded_run *run, const ht_config *config);
/* The best of the table, ms. */
double ht_seeded_best(const ht_seeded_run *run);

/* A search: what it tried, in order; costs are infinite where it failed. */
typedef struct ht_seeded_search {
    double costs[HT_SEEDED_EVALS];
    ht_config configs[HT_SEEDED_EVALS];
    size_t count;
} ht_seeded_search;

/* `sources`: expectations of the search; NULL: none. */
void ht_seeded_search_run(const ht_seeded_run *run, const ht_config *seeds, size_t seed_count,
                          const ht_earlier *sources, uint64_t seed, ht_seeded_search *out);
double ht_seeded_search_best(const ht_seeded_search *search, size_t evaluations);

#endif
