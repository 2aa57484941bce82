#include "cli/commands/tune_model.h"

#include "base/file.h"
#include "base/memory.h"
#include "cli/reports/entry_report.h"
#include "cli/reports/model_report.h"
#include "cli/reports/rank_report.h"
#include "pipeline/defaults.h"
#include "pipeline/model_tuning.h"
#include "pipeline/outputs.h"

#include <stdlib.h>
#include <string.h>

/* One entry with its result and files. */
typedef struct chosen {
    const ht_tune_model_request *request;
    const ht_entry *entry;
    const ht_model_devices *devices;
    bool alone; /* the only entry: its file has the template's name */
    ht_model_result result;
    char *files[HT_MODEL_CHOICES]; /* owned */
} chosen;

/* Returns "conv.hip", or "conv.KERNEL.INSTANCE.hip" among several; the next best has ".second" in
 * front of the suffix; free(). */
static char *file_name(const chosen *self, size_t choice) {
    const char *name = ht_path_name(self->request->path);
    const char *problem = self->entry->problem;
    char *stem = ht_output_stem(name);
    char *whole =
        self->alone
            ? ht_format("%s%s%s", stem, choice ? ".second" : "", name + strlen(stem))
            : ht_format("%s.%s%s%s%s%s", stem, self->entry->name, problem ? "." : "",
                        problem ? problem : "", choice ? ".second" : "", name + strlen(stem));
    free(stem);
    return whole;
}

/* Writes the template with a choice as its defaults, below a line that says what it is. */
static ht_status write_choice(chosen *self, size_t index, ht_error *error) {
    const ht_model_choice *choice = &self->result.choices[index];
    const ht_template *template = self->entry->template;
    char *text = NULL, *changed = NULL, *fault = NULL;
    ht_status status = ht_file_read(self->request->path, 0, &text, NULL, error);
    if (status == HT_OK)
        status = ht_defaults_write(text, template, &choice->config, &changed, error);
    if (status == HT_OK)
        fault = ht_written_defaults_fault(changed, self->request->path, template, &choice->config);
    if (fault)
        status = ht_error_set(error, HT_ERROR_INTERNAL, "%s", fault);
    if (status == HT_OK) {
        char *name = file_name(self, index);
        char *whole =
            ht_format("// hiptemper: %s, %s: %.3g times as fast as the original on %s, predicted, "
                      "not measured.\n%s",
                      self->entry->name, index ? "the next best" : "the best", choice->speedup,
                      self->devices->gpu->board, changed);
        status = ht_output_write(self->request->folder, name, whole, &self->files[index], error);
        free(whole);
        free(name);
    }
    free(fault);
    free(changed);
    free(text);
    return status;
}

static ht_status choose(chosen *self, ht_error *error) {
    const ht_model_request asked = {
        .devices = self->devices, .options = self->request->options, .choices = HT_MODEL_CHOICES};
    ht_status status =
        ht_model_tune(&asked, self->entry->template, self->entry->instance, &self->result, error);
    for (size_t i = 0; status == HT_OK && i < self->result.count; ++i)
        status = write_choice(self, i, error);
    return status;
}

int ht_tune_model(const ht_tune_model_request *request, const ht_entries *entries) {
    ht_model_devices devices;
    ht_error error = {0};
    FILE *out = ht_report_stream(request->json);
    ht_status status = ht_model_devices_find(request->options->device, &devices, &error);
    if (status != HT_OK)
        return ht_report_error(&error);
    json_t *kernels = json_array(), *document = ht_report_json_new("hiptemper-tune-model", 1);
    fprintf(out, "Choosing for %s by a model: predicted, not measured\n\n", devices.gpu->board);
    for (size_t i = 0; i < entries->count && status == HT_OK; ++i) {
        chosen self = {.request = request,
                       .entry = &entries->items[i],
                       .devices = &devices,
                       .alone = entries->count == 1};
        status = choose(&self, &error);
        if (status == HT_OK) {
            ht_model_result_print(self.entry, &self.result, self.files, out);
            json_array_append_new(kernels,
                                  ht_model_result_json(self.entry, &self.result, self.files));
        }
        for (size_t c = 0; c < HT_MODEL_CHOICES; ++c)
            free(self.files[c]);
        ht_model_result_free(&self.result);
    }
    json_object_set_new(document, "device", json_string(devices.target.name));
    json_object_set_new(document, "compiler", json_string(devices.target.compiler));
    json_object_set_new(document, "model", ht_model_json(devices.gpu));
    json_object_set_new(document, "kernels", kernels);
    int code = status == HT_OK ? HT_EXIT_OK : ht_report_error(&error);
    return ht_outputs_json(request->folder, "tune.json", request->json, document, code);
}
