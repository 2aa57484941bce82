/* A job's file: any text. */
#include "fuzz.h"

#include "pipeline/nightly/job_file.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_alloc(size + 1, 1);
    ht_job_file job;
    ht_error error = {0};
    if (size)
        memcpy(text, data, size);
    ht_status status = ht_job_file_parse(text, "jobs/fuzz.json", &job, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        FUZZ_CHECK(job.sources.count + job.program_count > 0 && job.devices.count > 0);
        FUZZ_CHECK(job.budget.seconds > 0 && job.budget.kernel_seconds >= 0);
        FUZZ_CHECK(job.least_effect >= 0 && job.least_effect <= 1);
        FUZZ_CHECK(job.database && job.out && job.check && job.cache && job.style);
        for (size_t i = 0; i < job.sources.count; ++i)
            FUZZ_CHECK(strlen(job.sources.items[i]) > 0);
        for (size_t i = 0; i < job.program_count; ++i) {
            FUZZ_CHECK(job.programs[i].files.count > 0);
            FUZZ_CHECK(job.programs[i].share > 0 && job.programs[i].share <= 100);
        }
    } else {
        FUZZ_CHECK(error.line > 0);
    }
    ht_job_file_free(&job);
    free(text);
    return 0;
}
