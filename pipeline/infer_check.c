#include "pipeline/infer_check.h"

#include "base/clock.h"
#include "base/memory.h"
#include "pipeline/stop.h"
#include "refactor/source/options.h"
#include "runtime/job/check.h"
#include "runtime/job/job_memory.h"
#include "runtime/sandbox/sandbox.h"
#include "runtime/verify/verify.h"
#include "runtime/verify/verify_template.h"

#include <stdlib.h>
#include <string.h>

/* Elements of a buffer that a run may ask for, and how much larger it becomes at a time. */
enum { ELEMENTS_FIRST = 1 << 13, ELEMENTS_MAX = 1 << 24, GROWTH = 8 };

/* After that no further run is begun: those of a kernel whose buffers must be large take long. */
static const double growing_seconds = 15;

/* Returns true for findings that a wrong size or role brings about. */
static bool is_of_problem(const ht_check_result *result) {
    static const char *const kinds[] = {"outside", "input", "unwritten", "bounds",
                                        "memory",  "fault", "stack"};
    const char *kind = ht_check_finding_kind(result);
    for (size_t i = 0; kind && i < sizeof kinds / sizeof *kinds; ++i)
        if (strcmp(kind, kinds[i]) == 0)
            return true;
    return !kind && (result->status == HT_ERROR_CRASH || result->status == HT_ERROR_TIMEOUT ||
                     result->status == HT_ERROR_LAUNCH);
}

/* Returns true for an end of the original itself when it is started on too little memory. */
static bool is_of_original(ht_status status) {
    return status == HT_ERROR_CRASH || status == HT_ERROR_TIMEOUT || status == HT_ERROR_LAUNCH ||
           status == HT_ERROR_MISMATCH || status == HT_ERROR_INPUT;
}

/* One run. *out_array (free()): the buffer past whose end it went, "" where it crashed and none
 * is known; NULL: neither. *out_element: the element there. */
static ht_status run_once(const ht_template *template, const ht_problem *problem,
                          const ht_device *device, char **out_reason, char **out_array,
                          int64_t *out_element, ht_error *error) {
    ht_job *job = NULL;
    const ht_binding binding = {template, problem, &device->fields};
    const ht_job_options options = {
        .seed = 1, .compile_workers = 1, .only_check = true, .interrupted = &ht_stopped};
    const ht_check_settings settings = {.accesses = HT_CHECK_TUNING_ACCESSES};
    ht_status status = ht_job_start(&binding, device, &options, &job, error);
    if (status == HT_ERROR_CRASH && ht_sandbox_blamed(error->message)) {
        /* No problem makes it a kernel to run. */
    } else if (is_of_original(status)) {
        *out_reason = ht_strdup(error->message);
        bool large = status == HT_ERROR_CRASH || (strstr(error->message, "guard: write ") &&
                                                  !strstr(error->message, "guard: write before "));
        *out_array = large ? ht_strdup("") : NULL;
        status = HT_OK;
    } else if (status == HT_OK) {
        ht_check_result result;
        status = ht_job_check_original(job, &settings, &result, error);
        if (status == HT_OK && ht_sandbox_blamed(result.reason))
            status = ht_error_set(error, HT_ERROR_CRASH, "%s", result.reason);
        else if (status == HT_OK && is_of_problem(&result))
            *out_reason = ht_strdup(result.reason);
        const json_t *finding = json_object_get(result.details, "finding");
        const char *array = json_string_value(json_object_get(finding, "array"));
        *out_element = json_integer_value(json_object_get(finding, "element"));
        const char *kind = json_string_value(json_object_get(finding, "kind"));
        bool outside = kind && strcmp(kind, "outside") == 0;
        if (*out_reason && (array ? outside && *out_element >= 0
                                  : outside || (!kind && result.status == HT_ERROR_CRASH)))
            *out_array = ht_strdup(array ? array : "");
        ht_check_result_free(&result);
    }
    ht_job_free(job);
    return status;
}

/* Returns true if the texts are the same, but for dots, which have become underscores. */
static bool is_flattened(const char *flat, const char *name, size_t length) {
    bool same = true;
    for (size_t i = 0; i < length && same; ++i)
        same = flat[i] == (name[i] == '.' ? '_' : name[i]);
    return same;
}

/* Returns true for the field of the elements of `array`; "": of any buffer. */
static bool is_tried(const ht_field *field, const char *array) {
    size_t length = strlen(field->name), suffix = strlen(HT_TRIED_SUFFIX), name = strlen(array);
    return field->kind == HT_FIELD_DEFAULT && length > suffix &&
           strcmp(field->name + length - suffix, HT_TRIED_SUFFIX) == 0 &&
           (!name || (name == length - suffix && is_flattened(field->name, array, name)));
}

/* Makes a buffer larger by `factor`, or to hold the element. Returns false if that is not possible.
 */
static bool grow_by(int64_t factor, const ht_template *template, ht_problem *problem,
                    const char *array, int64_t element) {
    bool grown = false;
    for (size_t i = 0; i < template->problem.field_count; ++i)
        for (size_t j = 0; j < problem->value_count; ++j) {
            const ht_field *field = &template->problem.fields[i];
            int64_t *value = &problem->values[j].value, more = *value;
            if (strcmp(field->name, problem->values[j].name) != 0 || !is_tried(field, array))
                continue;
            more = more < ELEMENTS_FIRST / GROWTH ? ELEMENTS_FIRST / GROWTH : more;
            do
                more *= factor;
            while (more <= element && more <= ELEMENTS_MAX);
            if (*value >= ELEMENTS_MAX || element >= ELEMENTS_MAX)
                return false;
            *value = more < ELEMENTS_MAX ? more : ELEMENTS_MAX;
            grown = true;
        }
    return grown;
}

static bool fits(const ht_template *template, const ht_problem *problem, const ht_device *device) {
    const ht_binding binding = {template, problem, &device->fields};
    return ht_job_memory_verifying(&binding, HT_COMPARING_BITS) <= HT_VERIFY_MEMORY;
}

/* Makes a buffer larger, by less where all would take too much memory. Returns false if that is not
 * possible. */
static bool grow(const ht_template *template, ht_problem *problem, const ht_device *device,
                 const char *array, int64_t element) {
    ht_problem_value *before = ht_alloc(problem->value_count + 1, sizeof *before);
    memcpy(before, problem->values, problem->value_count * sizeof *before);
    bool grown = false;
    for (int64_t factor = GROWTH; factor > 1 && !grown; factor /= 2) {
        grown =
            grow_by(factor, template, problem, array, element) && fits(template, problem, device);
        if (!grown)
            memcpy(problem->values, before, problem->value_count * sizeof *before);
    }
    free(before);
    return grown;
}

static void reason_add(char **reason, const char *more) {
    char *whole = ht_format("%s%s", *reason, more);
    free(*reason);
    *reason = whole;
}

ht_status ht_inferred_check(const ht_template *template, ht_problem *problem, char **out_reason,
                            ht_error *error) {
    ht_device device;
    ht_error own = {0};
    *out_reason = NULL;
    if (template->reference_kind != HT_REFERENCE_KERNEL)
        return HT_OK;
    ht_status status = ht_device_find("host", &device, error);
    if (status != HT_OK || !ht_check_possible(&device))
        return status;
    if (!fits(template, problem, &device)) {
        *out_reason = ht_format("its buffers and their copies take more than %llu MiB; give "
                                "smaller sizes",
                                (unsigned long long)(HT_VERIFY_MEMORY >> 20));
        return HT_OK;
    }
    /* Outputs that differ say nothing of the problem, and a twin that wider numbers need takes
     * several times the memory of the original. */
    ht_template *strict = ht_template_copy(template);
    ht_verify_tolerate(strict, true);
    double begun = ht_clock_seconds();
    for (bool again = true; again && status == HT_OK;) {
        char *array = NULL;
        int64_t element = 0;
        free(*out_reason);
        *out_reason = NULL;
        status = run_once(strict, problem, &device, out_reason, &array, &element, &own);
        bool late = ht_clock_seconds() - begun >= growing_seconds;
        again = array && problem && !late && grow(template, problem, &device, array, element);
        if (array && late && *out_reason)
            reason_add(out_reason, "; larger buffers were not tried: it takes too long");
        free(array);
    }
    ht_template_free(strict, 1);
    if (status != HT_OK && error)
        *error = own;
    return status;
}

bool ht_inferred_tries(const ht_template *template) {
    for (size_t i = 0; i < template->problem.field_count; ++i)
        if (is_tried(&template->problem.fields[i], ""))
            return true;
    return false;
}

json_t *ht_inferred_elements(const ht_template *template, const ht_problem *problem) {
    json_t *elements = json_object();
    for (size_t i = 0; i < template->problem.field_count; ++i) {
        int64_t value;
        const ht_field *field = &template->problem.fields[i];
        if (is_tried(field, "") && ht_problem_get(problem, field->name, &value))
            json_object_set_new(elements, field->name, json_integer(value));
    }
    if (json_object_size(elements))
        return elements;
    json_decref(elements);
    return NULL;
}

char *ht_inferred_text(const char *text, json_t *elements) {
    json_error_t at;
    json_t *root = json_loads(text, 0, &at);
    json_t *kernel = json_array_get(json_object_get(root, "kernels"), 0);
    json_t *instance = json_array_get(json_object_get(kernel, "instances"), 0);
    json_object_update_existing(json_object_get(instance, "fields"), elements);
    char *dump = instance ? json_dumps(root, JSON_INDENT(2) | JSON_PRESERVE_ORDER) : NULL;
    char *changed = dump ? ht_format("%s\n", dump) : NULL;
    free(dump);
    json_decref(root);
    return changed;
}
