/* Tunes a template: tune TEMPLATE PROBLEM [OPTION=VALUE]...
 *
 *     cc tune.c -o tune $(pkg-config --cflags --libs hiptemper)
 *     ./tune saxpy.hip n=65536 max-evals=8 */
#include <hiptemper/hiptemper.h>

#include <stdio.h>
#include <string.h>

static int fail(const ht_error *error) {
    fprintf(stderr, "%s:%d: %s\n", error->file, error->line, error->message);
    return ht_status_exit_code(error->status);
}

int main(int argc, char **argv) {
    ht_tuner *tuner;
    ht_tuned *tuned;
    ht_error error;
    ht_tuned_times times;
    if (argc < 3)
        return 2;
    if (ht_tuner_open(argv[1], &tuner, &error) != HT_OK)
        return fail(&error);
    for (int i = 3; i < argc; ++i) {
        char *value = strchr(argv[i], '=');
        if (value)
            *value++ = 0;
        if (ht_tuner_set(tuner, argv[i], value ? value : "yes", &error) != HT_OK)
            return fail(&error);
    }
    if (ht_tuner_tune(tuner, argv[2], &tuned, &error) != HT_OK)
        return fail(&error);
    printf("%s: %s%s\n", ht_tuned_verdict(tuned), ht_tuned_config(tuned), ht_tuned_reason(tuned));
    if (ht_tuned_get_times(tuned, &times))
        printf("%.4g ms, was %.4g ms\n", times.tuned_ms, times.original_ms);
    ht_tuned_free(tuned);
    ht_tuner_close(tuner);
    return 0;
}
