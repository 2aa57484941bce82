/* The options that optimize and tune (and whatever searches later) have in common, for their
 * tables. TYPE is the command's struct, which has the members `tuning` and `compiler`. */
#ifndef HT_CLI_TUNING_OPTIONS_H
#define HT_CLI_TUNING_OPTIONS_H

#include "cli/command.h"

#define HT_TUNING_OPTIONS(TYPE)                                                                    \
    {"device", HT_OPTION_TEXT,     offsetof(TYPE, tuning.device),                                  \
     "DEVICE", .fallback = "host", .help = "Device to run on; 'hiptemper devices' lists them."},   \
        {"max-evals",                                                                              \
         HT_OPTION_COUNT,                                                                          \
         offsetof(TYPE, tuning.max_evals),                                                         \
         "N",                                                                                      \
         .fallback = "60",                                                                         \
         .help = "Configurations to try for each kernel and problem; 0 is no limit."},             \
        {"max-time",                                                                               \
         HT_OPTION_NUMBER,                                                                         \
         offsetof(TYPE, tuning.max_time),                                                          \
         "SECONDS",                                                                                \
         .fallback = "0",                                                                          \
         .help = "Time for the whole command, divided fairly among kernels and problems; 0 is no " \
                 "limit."},                                                                        \
        {"min-speedup",                                                                            \
         HT_OPTION_NUMBER,                                                                         \
         offsetof(TYPE, tuning.min_speedup),                                                       \
         "RATIO",                                                                                  \
         .fallback = "1.02",                                                                       \
         .min = 1,                                                                                 \
         .help = "The least speedup that is worth a change: with less the original is kept, and "  \
                 "the report gives the number."},                                                  \
        {"final-time",                                                                             \
         HT_OPTION_NUMBER,                                                                         \
         offsetof(TYPE, tuning.final_time),                                                        \
         "SECONDS",                                                                                \
         .fallback = "3",                                                                          \
         .min = 0,                                                                                 \
         .help = "The most that the finalists are timed in turn with the original, for each "      \
                 "kernel and problem, and as long again the winner alone: more where a device's "  \
                 "times are noisy and intervals stay wide, less for a quick look. At least four "  \
                 "rounds are made."},                                                              \
        {"strategy", HT_OPTION_TEXT, offsetof(TYPE, tuning.strategy), "NAME",                      \
         .help = "How to search: auto, bayes, local-search, annealing, genetic, "                  \
                 "differential-evolution, particle-swarm, random or exhaustive. Without it: "      \
                 "exhaustive when all legal configurations fit into --max-evals and there is no "  \
                 "time limit, else auto, which needs no settings."},                               \
        {"cache",                                                                                  \
         HT_OPTION_TEXT,                                                                           \
         offsetof(TYPE, tuning.cache),                                                             \
         "hot|cold",                                                                               \
         .fallback = "hot",                                                                        \
         .help = "What timed runs find in the device's caches: what the run before left (hot), "   \
                 "or nothing (cold): then a buffer larger than the caches is written over before " \
                 "each run."},                                                                     \
        {"check",                                                                                  \
         HT_OPTION_TEXT,                                                                           \
         offsetof(TYPE, tuning.check),                                                             \
         "none|finals|all",                                                                        \
         .fallback = "finals",                                                                     \
         .help = "Which configurations also run in checking mode (host emulation only), which "    \
                 "finds races, barriers that part of a block reaches and accesses outside: those " \
                 "that may be reported, and the original; or all, about half a second each."},     \
        {"seed", HT_OPTION_COUNT, offsetof(TYPE, tuning.seed),                                     \
         "N",    .fallback = "1", .help = "Seed of random inputs and of the search."},             \
        {"compile-workers",                                                                        \
         HT_OPTION_COUNT,                                                                          \
         offsetof(TYPE, tuning.compile_workers),                                                   \
         "N",                                                                                      \
         .fallback = "0",                                                                          \
         .help = "Processes that compile; 0 is one a core."},                                      \
        {"db", HT_OPTION_TEXT, offsetof(TYPE, tuning.database), "FILE",                            \
         .help = "Tuning database, where every measurement is kept and found again. Without it: "  \
                 "$HIPTEMPER_DB, else hiptemper/tuning.sqlite in $XDG_DATA_HOME or "               \
                 "~/.local/share."},                                                               \
        {"predictor", HT_OPTION_TEXT, offsetof(TYPE, tuning.predictor), "MODEL",                   \
         .help = "Starts the search from what a trained model proposes: a model file, a folder "   \
                 "of models, or 'builtin' for those that come with hiptemper. A model that does "  \
                 "not match a template is not used for it, and the report says why."},             \
        {"predictor-seeds",                                                                        \
         HT_OPTION_COUNT,                                                                          \
         offsetof(TYPE, tuning.predictor_seeds),                                                   \
         "N",                                                                                      \
         .fallback = "10",                                                                         \
         .min = 1,                                                                                 \
         .help = "How many proposals of --predictor the search starts from."},                     \
        {"seeds-from", HT_OPTION_LIST, offsetof(TYPE, tuning.seeds_from), "FILE",                  \
         .help = "Learns from this file's runs of the same kernel on other devices and problems, " \
                 "too: a tuning database, or a recorded run (docs/recording-format.md); may be "   \
                 "repeated. The search believes them as far as outcomes agree."},                  \
        {"no-sources", HT_OPTION_FLAG, offsetof(TYPE, tuning.no_sources),                          \
         .help = "Does not learn from runs of the same kernel on other devices and problems that " \
                 "the database has."},                                                             \
        {"no-facts", HT_OPTION_FLAG, offsetof(TYPE, tuning.no_facts),                              \
         .help = "Expects nothing of a configuration before it is tried, on a GPU: not that "      \
                 "tiles should divide the problem, nor that wavefronts should be full."},          \
        {"fresh", HT_OPTION_FLAG, offsetof(TYPE, tuning.fresh),                                    \
         .help = "Measures again what the database knows, and what was condemned for killing its " \
                 "workers twice; 'optimize' also takes no source's result from an earlier run."}

#define HT_COMPILER_OPTIONS(TYPE)                                                                  \
    {"I", HT_OPTION_LIST, offsetof(TYPE, compiler.include), "DIR",                                 \
     .help = "Searches this folder for headers; may be repeated."},                                \
        {"D", HT_OPTION_LIST, offsetof(TYPE, compiler.define), "NAME[=VALUE]",                     \
         .help = "Defines a macro; may be repeated."},                                             \
        {"std", HT_OPTION_TEXT, offsetof(TYPE, compiler.standard), "STANDARD",                     \
         .help = "C++ standard of the sources, such as c++17."}

/* Of commands that read trees of sources. */
#define HT_STUB_OPTION(TYPE)                                                                       \
    {"stub", HT_OPTION_LIST, offsetof(TYPE, compiler.stubs), "FILE",                               \
     .help = "A header of yours that stands in for frameworks which are not installed: it is "     \
             "read ahead of each source, after HIP's header and stubs given before it; may be "    \
             "repeated."}

/* Of commands that make templates. */
#define HT_WITHOUT_OPTION(TYPE)                                                                    \
    {"without", HT_OPTION_LIST, offsetof(TYPE, compiler.without), "TRANSFORMATION",                \
     .help = "Leaves a transformation out, such as coarsen-x; may be repeated. What others "       \
             "build on it goes too."}

/* Of commands that analyse kernels. */
#define HT_ANALYSIS_OPTIONS(TYPE)                                                                  \
    {"analysis-operations",                                                                        \
     HT_OPTION_COUNT,                                                                              \
     offsetof(TYPE, compiler.analysis_operations),                                                 \
     "N",                                                                                          \
     .fallback = "8000000",                                                                        \
     .min = 1,                                                                                     \
     .help = "What proving may take for one kernel, in operations of isl, of which a million "     \
             "take about 3 s: a transformation that needs more than an eighth is left out, a "     \
             "kernel that needs more is 'too-complex'. Results do not hang on the machine's "      \
             "speed."},                                                                            \
        {"analysis-time",                                                                          \
         HT_OPTION_NUMBER,                                                                         \
         offsetof(TYPE, compiler.analysis_seconds),                                                \
         "SECONDS",                                                                                \
         .fallback = "60",                                                                         \
         .help = "CPU time for one kernel's analysis (ten times that by the clock): one that "     \
                 "takes longer is 'too-complex'; 0 is no limit."},                                 \
        {"analysis-memory",                                                                        \
         HT_OPTION_COUNT,                                                                          \
         offsetof(TYPE, compiler.analysis_mebibytes),                                              \
         "MIB",                                                                                    \
         .fallback = "1024",                                                                       \
         .help = "Memory of a process that analyses a file's kernels: one that needs more is "     \
                 "'too-complex'; 0 is no limit."}

#endif
