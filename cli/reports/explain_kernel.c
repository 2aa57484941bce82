#include "cli/reports/explain_kernel.h"

#include "cli/command.h"
#include "refactor/explain.h"

typedef struct explaining {
    FILE *out;
    json_t *kernels;
} explaining;

static void on_model(const ht_kernel_model *model, const char *name, const char *problem,
                     void *context) {
    explaining *in = context;
    if (!model) {
        fprintf(in->out, "kernel %s: not read: %s\n", name, problem);
        json_array_append_new(in->kernels, json_pack("{s:s, s:o}", "name", name, "problem",
                                                     ht_report_json_text(problem)));
        return;
    }
    ht_text text = {0};
    ht_kernel_model_print(model, &text);
    fputs(text.data, in->out);
    ht_text_free(&text);
    json_array_append_new(in->kernels, ht_kernel_model_json(model));
}

static ht_status explain_file(const ht_explain_request *request, const char *path, explaining *in,
                              size_t *found, ht_error *error) {
    ht_problems problems = {0};
    ht_status status = ht_problems_open(request->problem, path, &problems, error);
    if (status != HT_OK)
        return status;
    size_t count = 0;
    status = ht_kernel_model_each(path, problems.file, &request->compiler, request->kernel,
                                  on_model, in, &count, error);
    *found += count;
    ht_problems_close(&problems);
    return status;
}

int ht_explain_kernel(const ht_explain_request *request) {
    explaining in = {ht_report_stream(request->json), json_array()};
    size_t found = 0;
    ht_error error = {0};
    ht_status status = HT_OK;
    for (size_t i = 0; i < request->path_count && status == HT_OK; ++i)
        status = explain_file(request, request->paths[i], &in, &found, &error);
    if (status == HT_OK && found == 0)
        status = ht_error_set(&error, HT_ERROR_INPUT,
                              "option --explain: no kernel of the given files is named '%s'",
                              request->kernel);
    json_t *document = ht_report_json_new("hiptemper-kernel-model", 1);
    json_object_set_new(document, "kernels", in.kernels);
    int code = status == HT_OK ? ht_report_json(request->json, document) : ht_report_error(&error);
    json_decref(document);
    return code;
}
