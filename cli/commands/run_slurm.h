/* `hiptemper run` with --slurm, --resume, --status, --merge and --task. */
#ifndef HT_CLI_COMMANDS_RUN_SLURM_H
#define HT_CLI_COMMANDS_RUN_SLURM_H

#include "pipeline/nightly/slurm.h"

#include <stdbool.h>

typedef struct ht_run_slurm {
    bool slurm, resume, status, merge;
    uint64_t task; /* 0: not asked for */
    const char *options;
} ht_run_slurm;

/* Returns true if one of them was asked for. */
bool ht_run_slurm_is_asked(const ht_run_slurm *asked);
/* Does it; `json` is as of --json. Returns the exit code. */
int ht_run_slurm_run(const ht_run_slurm *asked, const ht_slurm_options *options, const char *json);

#endif
