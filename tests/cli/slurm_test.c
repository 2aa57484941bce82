/* hiptemper run --slurm with a stand-in for Slurm's programs: what is submitted, and what is said
 * of it. benchmarks/night_slurm has real daemons. */
#include "tests/cli/program.h"

#include "base/file.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void script_write(const char *name, const char *text) {
    char *path = ht_path_join(workplace(), name);
    workplace_write(name, text);
    chmod(path, 0700);
    free(path);
}

static void prepare(void) {
    workplace_make();
    workplace_write("tree/a.hip", "__global__ void a(float *out) { out[0] = 1; }\n");
    workplace_write("tree/b.hip", "__global__ void b(float *out) { out[0] = 1; }\n");
    workplace_write("n.json",
                    "{\"sources\": [\"tree\"], \"budget\": {\"seconds\": 600},\n"
                    " \"slurm\": {\"partition\": \"gpu\", \"options\": [\"--exclusive\"]},"
                    " \"database\": \"n.sqlite\", \"out\": \"an out\"}\n");
    script_write("bin/sbatch", "#!/bin/sh\necho \"$@\" >>asked\n"
                               "echo 'sbatch: warning of the site' >&2\n"
                               "echo $((40 + $(wc -l <asked)))\n");
    script_write("bin/squeue", "#!/bin/sh\ncat queue\n");
    workplace_write("queue", "");
    char *path = ht_format("%s/bin:/usr/bin:/bin", workplace());
    setenv("PATH", path, 1);
    free(path);
}

TestSuite(slurm, .init = prepare, .fini = workplace_remove, .timeout = 60);

static program_result run(const char *words, int code) {
    program_result result = program_run(words);
    cr_assert_eq(result.code, code, "%s: %d: %s%s", words, result.code, result.out, result.err);
    return result;
}

static void expect_in_file(const char *name, const char *words) {
    char *text = workplace_read(name);
    cr_expect(text && strstr(text, words), "'%s' is not in %s: %s", words, name, text);
    free(text);
}

static void expect_out(const char *words, int code, const char *wanted) {
    program_result result = run(words, code);
    cr_expect(strstr(result.out, wanted) || strstr(result.err, wanted), "'%s' is not in: %s%s",
              wanted, result.out, result.err);
    program_free(&result);
}

Test(slurm, a_night_is_an_array_and_a_merge_after_it_with_the_options_of_the_job_and_the_user) {
    const char *const words[] = {"run",          "n.json", "--slurm", "--slurm-options",
                                 "--gres=gpu:1", NULL};
    program_result result = program_run_arguments(words);
    cr_assert_eq(result.code, 0, "%s%s", result.out, result.err);
    program_free(&result);
    expect_in_file("asked", "--parsable an out/slurm/shards.sh\n");
    expect_in_file("asked", "--parsable --dependency=afterany:41 an out/slurm/merge.sh\n");
    const char *const lines[] = {"#SBATCH --array=1-2\n",     "#SBATCH --time=16\n",
                                 "#SBATCH --partition=gpu\n", "#SBATCH --exclusive\n",
                                 "#SBATCH --gres=gpu:1\n",    "'an out'/slurm/"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; ++i)
        expect_in_file("an out/slurm/shards.sh", lines[i]);
}

Test(slurm, a_shard_that_ended_without_a_word_failed_and_it_alone_is_submitted_again) {
    program_result result = run("run n.json --slurm", 0);
    program_free(&result);
    workplace_write("queue", "41_1 RUNNING\n41_2 PENDING\n42 PENDING\n");
    expect_out("run n.json --status", 0, "1 pending, 1 running, 0 done, 0 failed");
    expect_out("run n.json --slurm", 2, "2 shards of the night of");
    workplace_write("queue", "42 PENDING\n");
    workplace_write("an out/slurm/1/state.json", "{\"state\": \"done\", \"slurm\": \"41_1\"}");
    expect_out("run n.json --status", 1, "0 pending, 0 running, 1 done, 1 failed");
    workplace_write("queue", "43_2 RUNNING\n44 PENDING\n");
    workplace_write("asked", "1\n2\n");
    expect_out("run n.json --resume", 0, "0 pending, 1 running, 1 done, 0 failed");
    expect_in_file("asked", "--parsable --array=2 an out/slurm/shards.sh\n");
    expect_in_file("asked", "--dependency=afterany:43 an out/slurm/merge.sh\n");
    workplace_write("queue", "");
    workplace_write("an out/slurm/2/state.json", "{\"state\": \"done\", \"slurm\": \"43_2\"}");
    expect_out("run n.json --slurm", 2, "is not merged");
}

Test(slurm, without_slurm_or_a_night_the_message_has_the_remedy) {
    expect_out("run n.json --status", 2, "no night of this job was submitted");
    setenv("PATH", workplace(), 1);
    expect_out("run n.json --slurm", 3, "sbatch is not in PATH");
    expect_out("run n.json --slurm --status", 2, "give one of them");
}
