#include "pipeline/model_times.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "pipeline/stop.h"
#include "search/index_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One prediction. */
typedef struct known {
    ht_outcome outcome;
    ht_gpu_time time; /* where the outcome is HT_OK */
    char *why;        /* owned; where it is not */
} known;

struct ht_model_memory {
    known *items;
    size_t count;
    ht_index_map places; /* hash of what was predicted -> index */
};

ht_model_memory *ht_model_memory_new(void) {
    return ht_alloc(1, sizeof(ht_model_memory));
}

void ht_model_memory_free(ht_model_memory *memory) {
    if (!memory)
        return;
    ht_index_map_free(&memory->places);
    for (size_t i = 0; i < memory->count; ++i)
        free(memory->items[i].why);
    free(memory->items);
    free(memory);
}

size_t ht_model_memory_count(const ht_model_memory *memory) {
    return memory->count;
}

void ht_model_times_begin(const ht_model_devices *devices, const ht_template *template,
                          const ht_problem *problem, ht_model_memory *memory,
                          ht_model_times *out_times) {
    *out_times = (ht_model_times){.devices = devices,
                                  .target = {template, problem, &devices->target.fields},
                                  .memory = memory};
    ht_text text = {0};
    char *fields =
        problem && template->problem.name ? ht_problem_string(&template->problem, problem) : NULL;
    ht_text_printf(&text, "%s\n%s\n", devices->target.name, fields ? fields : "");
    ht_template_print(template, &text);
    ht_text_append(&text, template->unit);
    free(fields);
    out_times->template_text = ht_text_take(&text);
}

void ht_model_times_end(ht_model_times *times) {
    free(times->template_text);
    *times = (ht_model_times){0};
}

/* Returns the key of a configuration; NULL: of the original. */
static uint64_t key_of(const ht_model_times *times, const ht_config *config) {
    char *text = config ? ht_config_string(times->target.template, config) : ht_strdup("");
    char *whole =
        ht_format("%s\n%s%s", times->template_text, config ? "config " : "original", text);
    uint64_t key = ht_hash_short(whole, strlen(whole));
    free(whole);
    free(text);
    return key;
}

static const known *known_find(const ht_model_times *times, const ht_config *config) {
    uint64_t at;
    return ht_index_map_get(&times->memory->places, key_of(times, config), &at)
               ? &times->memory->items[at]
               : NULL;
}

/* Notes what an inspection says of a time. */
static void known_add(const ht_model_times *times, const ht_config *config,
                      const ht_inspection *found, size_t launches) {
    ht_model_memory *memory = times->memory;
    known made = {0};
    ht_error why = {0};
    uint64_t key = key_of(times, config), before;
    if (ht_index_map_get(&memory->places, key, &before))
        return;
    made.outcome.status =
        ht_inspection_predict(times->devices->gpu, found, launches, &made.time, &why);
    if (made.outcome.status == HT_OK) {
        made.outcome.cost = 1e3 * made.time.seconds;
    } else {
        ht_text_shorten(why.message, made.outcome.reason, sizeof made.outcome.reason);
        made.why = ht_strdup(why.message);
    }
    ht_index_map_put(&memory->places, key, memory->count);
    HT_GROW(memory->items, memory->count);
    memory->items[memory->count++] = made;
}

/* Compiles, follows and predicts; `original`: the one kernel of the template's reference. */
static ht_status predict(const ht_model_times *times, const ht_config *configs, size_t count,
                         bool original, ht_error *error) {
    const ht_inspect_options options = {
        .original = original, .count = true, .blocks_max = HT_MODEL_BLOCKS};
    ht_inspection *found = ht_alloc(count + 1, sizeof *found);
    size_t launches;
    ht_inspect_launches(times->target.template, original, &launches);
    ht_status status = ht_inspect(&times->devices->target, &times->target, configs, count, &options,
                                  &ht_stopped, found, error);
    for (size_t i = 0; i < count; ++i) {
        if (status == HT_OK)
            known_add(times, original ? NULL : &configs[i], &found[i], launches);
        ht_inspection_free(&found[i]);
    }
    free(found);
    return status;
}

ht_status ht_model_times_evaluate(void *self, const ht_config *configs, size_t count,
                                  ht_outcome *out_outcomes, size_t *out_done, ht_error *error) {
    const ht_model_times *times = self;
    ht_config *fresh = ht_alloc(count + 1, sizeof *fresh);
    size_t fresh_count = 0;
    *out_done = 0;
    for (size_t i = 0; i < count; ++i)
        if (!known_find(times, &configs[i]))
            fresh[fresh_count++] = configs[i];
    ht_status status = fresh_count ? predict(times, fresh, fresh_count, false, error) : HT_OK;
    free(fresh);
    for (size_t i = 0; i < count && status == HT_OK; ++i)
        out_outcomes[(*out_done)++] = known_find(times, &configs[i])->outcome;
    return status;
}

bool ht_model_times_find(const ht_model_times *times, const ht_config *config,
                         ht_gpu_time *out_time) {
    const known *found = known_find(times, config);
    if (found && found->outcome.status == HT_OK)
        *out_time = found->time;
    return found && found->outcome.status == HT_OK;
}

ht_status ht_model_times_original(ht_model_times *times, ht_gpu_time *out_time, bool *out_known,
                                  char **out_why, ht_error *error) {
    const ht_config standard = ht_config_default(times->target.template);
    const ht_config *const tries[] = {NULL, &standard};
    const known *found = NULL;
    *out_why = NULL;
    *out_known = false;
    for (size_t i = 0; i < 2; ++i) {
        if (!known_find(times, tries[i])) {
            ht_status status = predict(times, &standard, 1, i == 0, error);
            if (status != HT_OK)
                return status;
        }
        found = known_find(times, tries[i]);
        if (found->outcome.status != HT_OK)
            continue;
        *out_time = found->time;
        *out_known = i == 0;
        return HT_OK;
    }
    *out_time = (ht_gpu_time){.seconds = (double)NAN};
    *out_why = ht_format("the original's time cannot be predicted: %s", found->why);
    return HT_OK;
}
