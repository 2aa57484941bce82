#include "pipeline/refactor_kept.h"

#include "base/memory.h"
#include "base/text.h"
#include "pipeline/kept.h"
#include "pipeline/kept_key.h"
#include "pipeline/timed.h"
#include "refactor/fingerprint.h"
#include "runtime/provider/provider.h"

#include <stdlib.h>
#include <string.h>

struct ht_refactor_kept {
    ht_kept *kept;
    char *common;
    const ht_refactor_request *request;
    const ht_refactor_inputs *inputs;
    const char **tree; /* paths of all files; borrowed */
};

/* ---- what results depend on */

static void request_put(const ht_refactor_request *request, ht_text *out) {
    ht_kept_key_text(out, "problem", request->problem);
    ht_kept_key_text(out, "kernel", request->kernel);
    ht_kept_key_text(out, "profile", request->profile ? request->profile->hash : NULL);
    ht_kept_key_number(out, "share", request->profile ? request->profile->share : 1);
    ht_kept_key_text(out, "out", request->out);
    ht_kept_key_analysis(out, &request->compiler);
    ht_kept_key_number(out, "next to sources", request->beside);
    ht_kept_key_number(out, "verify", request->verify);
    ht_kept_key_number(out, "configurations", (double)request->verifying.configurations);
    ht_text_printf(out, "seed %llu\n", (unsigned long long)request->verifying.seed);
}

/* Puts the device that defaults are legal for. */
static ht_status host_put(bool verify, ht_text *out) {
    ht_device host;
    ht_status status = ht_device_find("host", &host, NULL);
    return status == HT_OK ? ht_kept_key_device(out, &host, verify) : status;
}

ht_refactor_kept *ht_refactor_kept_open(const ht_refactor_request *request,
                                        const ht_refactor_inputs *inputs) {
    ht_kept *kept = request->compiler.recipe ? NULL : ht_kept_open();
    if (!kept)
        return NULL;
    ht_text common = {0};
    request_put(request, &common);
    ht_kept_key_variables(&common);
    if (ht_refactor_fingerprint(&common, NULL) != HT_OK ||
        host_put(request->verify, &common) != HT_OK) {
        ht_text_free(&common);
        ht_kept_free(kept);
        return NULL;
    }
    ht_refactor_kept *opened = ht_alloc(1, sizeof *opened);
    *opened = (ht_refactor_kept){kept, ht_text_take(&common), request, inputs,
                                 ht_alloc(inputs->tree.count + 1, sizeof *opened->tree)};
    for (size_t i = 0; i < inputs->tree.count; ++i)
        opened->tree[i] = inputs->tree.files[i].path;
    return opened;
}

void ht_refactor_kept_free(ht_refactor_kept *kept) {
    if (!kept)
        return;
    ht_kept_free(kept->kept);
    free(kept->common);
    free(kept->tree);
    free(kept);
}

/* Makes the text that a file's result alone depends on: how it is read and what its outputs are
 * named. */
static char *own_text(const ht_refactor_kept *kept, size_t index, const char *const *arguments,
                      size_t count) {
    const ht_tree_file *file = &kept->inputs->tree.files[index];
    const ht_source *source = &kept->inputs->sources[index];
    ht_text text = {0};
    ht_kept_key_text(&text, "output", source->output);
    ht_kept_key_text(&text, "through", file->through);
    ht_kept_key_number(&text, "named", source->named);
    ht_kept_key_number(&text, "joined", file->joined);
    for (size_t i = 0; i < file->other_count; ++i)
        ht_kept_key_text(&text, "launched by", file->others[i]);
    for (size_t i = 0; i < count; ++i)
        ht_kept_key_text(&text, "argument", arguments[i]);
    return ht_text_take(&text);
}

typedef struct kept_file {
    ht_kept_file file;
    const char **arguments;
    char *own;
} kept_file;

static kept_file file_open(const ht_refactor_kept *kept, size_t index) {
    size_t count;
    const char **arguments =
        ht_refactor_inputs_arguments(kept->inputs, kept->request, index, &count);
    char *own = own_text(kept, index, arguments, count);
    return (kept_file){.file = {.common = kept->common,
                                .own = own,
                                .path = kept->inputs->tree.files[index].path,
                                .tree = kept->tree,
                                .tree_count = kept->inputs->tree.count,
                                .arguments = arguments,
                                .argument_count = count},
                       .arguments = arguments,
                       .own = own};
}

static void file_close(kept_file *file) {
    free(file->arguments);
    free(file->own);
}

static ht_timed_limits limits_of(const ht_refactor_kept *kept) {
    return (ht_timed_limits){.analysis = kept->request->compiler.limits.seconds};
}

/* Says of kernels whose outcome is one of time when that was. */
static void earlier_note(json_t *document) {
    json_t *row;
    size_t index;
    json_array_foreach(json_object_get(document, "rows"), index,
                       row) if (ht_timed_is(json_string_value(json_object_get(row, "reason"))))
        json_object_set_new(row, "earlier", ht_timed_when(document));
}

json_t *ht_refactor_kept_find(ht_refactor_kept *kept, size_t index) {
    kept_file file = file_open(kept, index);
    const ht_timed_limits now = limits_of(kept);
    json_t *document = ht_kept_find(kept->kept, &file.file);
    file_close(&file);
    if (document && !ht_timed_fits(document, &now)) {
        json_decref(document);
        return NULL;
    }
    earlier_note(document);
    return document;
}

/* ---- keeping */

static const char *reason_of(const json_t *object) {
    return json_string_value(json_object_get(object, "reason"));
}

/* Returns true if running the template and its original again would come to the same: all seeds are
 * the same. A defect of hiptemper is reported each time. */
static bool is_lasting(const json_t *verification) {
    const char *outcome = json_string_value(json_object_get(verification, "outcome"));
    return outcome && strcmp(outcome, "differs") != 0;
}

/* Returns true for an outcome of time, of which another run may come to another; also where
 * verification left out what took too long. */
static bool is_of_time(const json_t *row) {
    const json_t *verification = json_object_get(row, "verification");
    return ht_timed_is(reason_of(row)) || ht_timed_is(reason_of(verification)) ||
           json_is_true(json_object_get(verification, "late")) ||
           json_integer_value(json_object_get(verification, "slow")) > 0;
}

static bool is_settled(const json_t *row) {
    static const char *const settled[] = {"templated", "annotated", "needs-problem",
                                          "refused",   "unparsed",  "too-complex"};
    const char *status = json_string_value(json_object_get(row, "status"));
    const json_t *verification = json_object_get(row, "verification");
    bool verified = !json_is_null(verification);
    bool known =
        status && strcmp(status, "withheld") == 0 && (verified || ht_timed_is(reason_of(row)));
    for (size_t i = 0; status && i < sizeof settled / sizeof *settled; ++i)
        known = known || strcmp(status, settled[i]) == 0;
    return known && !json_object_get(row, "proof") && (!verified || is_lasting(verification));
}

static json_t *outputs_of(const json_t *rows) {
    static const char *const keys[] = {"template", "launcher", "skeleton", "problem_file"};
    json_t *outputs = json_array(), *row;
    size_t index;
    json_array_foreach(rows, index, row) for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) {
        json_t *path = json_object_get(row, keys[i]), *known;
        size_t other;
        bool seen = !json_is_string(path);
        json_array_foreach(outputs, other, known) seen = seen || json_equal(known, path);
        if (!seen)
            json_array_append(outputs, path);
    }
    return outputs;
}

void ht_refactor_kept_put(ht_refactor_kept *kept, size_t index, json_t *document) {
    const json_t *rows = json_object_get(document, "rows");
    bool settled = !json_object_get(document, "error") &&
                   json_integer_value(json_object_get(document, "code")) == HT_EXIT_OK;
    bool timed = false;
    const ht_timed_limits limits = limits_of(kept);
    size_t at;
    json_t *row;
    json_array_foreach(rows, at, row) {
        settled = settled && is_settled(row);
        timed = timed || is_of_time(row);
    }
    if (!settled)
        return;
    ht_timed_note(document, timed, &limits);
    kept_file file = file_open(kept, index);
    json_t *outputs = outputs_of(rows), *reads = json_object_get(document, "reads");
    json_incref(reads);
    json_object_del(document, "reads");
    ht_kept_put(kept->kept, &file.file, reads, outputs, document);
    json_decref(reads);
    json_decref(outputs);
    file_close(&file);
}
