#include "pipeline/times_job.h"

#include "base/memory.h"
#include "pipeline/time_devices.h"

#include <stdlib.h>

static void configs_take(ht_times_job *job, const ht_database_earlier_run *run) {
    job->configs = ht_alloc(run->count + 1, sizeof *job->configs);
    job->costs = ht_alloc(run->count + 1, sizeof *job->costs);
    for (size_t i = 0; i < run->count; ++i)
        if (ht_config_parse(job->binding.template, run->rows[i].config, &job->configs[job->count],
                            NULL) == HT_OK)
            job->costs[job->count++] = run->rows[i].cost;
}

bool ht_times_job_open(const ht_template *template, const ht_device *device,
                       const ht_database_earlier_run *run, ht_times_job *out_job) {
    bool sized = template->problem.name != NULL;
    *out_job = (ht_times_job){0};
    if (sized &&
        ht_problem_parse(&template->problem, run->problem, &out_job->problem, NULL) != HT_OK)
        return false;
    out_job->binding = (ht_binding){template, sized ? &out_job->problem : NULL, &device->fields};
    if (ht_space_build(&out_job->binding, 1, &out_job->space, NULL) != HT_OK) {
        ht_problem_free(&out_job->problem);
        return false;
    }
    configs_take(out_job, run);
    ht_time_device_of(run->device, &device->fields, &out_job->numbers);
    out_job->columns = ht_columns_new(out_job->space, &out_job->numbers, NULL);
    return true;
}

void ht_times_job_close(ht_times_job *job) {
    ht_columns_free(job->columns);
    ht_space_free(job->space);
    ht_problem_free(&job->problem);
    free(job->configs);
    free(job->costs);
}
