/* One network that learns the joint answers of several. */
#include "pipeline/training.h"

#include "base/clock.h"
#include "base/file.h"
#include "base/memory.h"
#include "pipeline/stop.h"

#include <stdlib.h>

static const uint64_t student_stream = 1000; /* away from the seeds of the teachers */

/* Copies a schema, by its text. */
static ht_status schema_copy(const ht_schema *schema, const char *name, ht_schema **out_schema,
                             ht_error *error) {
    ht_text text = {0};
    ht_schema_print(schema, &text);
    ht_status status = ht_schema_parse(text.data, name, out_schema, error);
    ht_text_free(&text);
    return status;
}

ht_status ht_training_open_teacher(ht_training *training, ht_error *error) {
    const ht_train_options *given = training->given;
    const char *path = given->distil_from ? given->distil_from : given->networks_from;
    ht_status status = ht_predictor_open(path, &training->models.teacher, error);
    if (status == HT_OK)
        status = schema_copy(ht_predictor_schema(training->models.teacher), path,
                             &training->basis.schema, error);
    if (status != HT_OK)
        return status;
    ht_text text = {0};
    ht_tokenizer_print(ht_predictor_tokenizer(training->models.teacher), &text);
    status =
        ht_tokenizer_parse(training->basis.schema, text.data, &training->basis.tokenizer, error);
    ht_text_free(&text);
    training->basis.schema_from = ht_format("of %s", ht_path_name(path));
    return status;
}

typedef struct stage {
    ht_training *training;
    double told; /* clock */
} stage;

static bool on_progress(void *context, double done) {
    stage *stage = context;
    if (ht_clock_seconds() - stage->told > 0.2) {
        char *text = ht_format("asking the teachers, %.0f %%", done * 100);
        ht_progress_phase(stage->training->progress, text);
        free(text);
        stage->told = ht_clock_seconds();
    }
    return !ht_interrupted;
}

/* Returns the networks to learn from; free() the array. */
static const ht_network **teachers_list(const ht_training *training, size_t *out_count) {
    const ht_predictor *teacher = training->models.teacher;
    size_t count = teacher ? ht_predictor_network_count(teacher) : training->made.network_count;
    const ht_network **list = ht_alloc(count + 1, sizeof *list);
    for (size_t i = 0; i < count; ++i)
        list[i] = teacher ? ht_predictor_network(teacher, i) : training->made.networks[i];
    *out_count = count;
    return list;
}

/* Keeps the student alone; one that was stopped goes, unless there is nothing else. */
static void student_take(ht_training *training, size_t teachers) {
    size_t count = training->made.network_count;
    if (count == teachers)
        return;
    if (ht_interrupted && teachers) {
        ht_network_free(training->made.networks[--training->made.network_count]);
        return;
    }
    for (size_t i = 0; i < teachers; ++i)
        ht_network_free(training->made.networks[i]);
    training->made.networks[0] = training->made.networks[count - 1];
    training->made.network_count = 1;
}

ht_status ht_training_distil(ht_training *training, ht_error *error) {
    size_t teachers = training->made.network_count, count = 0;
    const ht_network **list = teachers_list(training, &count);
    ht_examples examples = {0};
    stage stage = {.training = training};
    ht_progress_begin(training->progress, "distilling");
    ht_status status = ht_distil(list, count, &training->data.train_records, &training->data.train,
                                 training->basis.rules, &training->recipe.distil, on_progress,
                                 &stage, &examples, error);
    free(list);
    ht_progress_pause(training->progress);
    bool stopped = status == HT_ERROR_INTERRUPTED;
    if (status == HT_OK)
        status = ht_training_add(training, &examples, training->given->seed + student_stream, true,
                                 error);
    if (status == HT_OK)
        student_take(training, teachers);
    ht_examples_free(&examples);
    return stopped && training->made.network_count ? HT_OK : status;
}
