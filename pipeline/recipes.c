#include "pipeline/recipes.h"
#include "pipeline/report.h"

#include <string.h>

static bool has_entry(const json_t *entries, const char *kernel) {
    size_t index;
    json_t *entry;
    json_array_foreach(entries, index, entry) {
        if (strcmp(ht_report_text_of(entry, "kernel"), kernel) == 0)
            return true;
    }
    return false;
}

int ht_recipe_save(const char *path, const json_t *rows) {
    json_t *entries = json_array(), *row;
    size_t index;
    json_array_foreach(rows, index, row) {
        json_t *entry = json_object_get(row, "recipe");
        if (json_is_object(entry) && strcmp(ht_report_text_of(row, "status"), "templated") == 0 &&
            !has_entry(entries, ht_report_text_of(row, "name")))
            json_array_append(entries, entry);
    }
    int code = HT_EXIT_OK;
    if (json_array_size(entries)) {
        json_t *document = ht_recipe_document(entries);
        code = ht_report_json(path, document);
        json_decref(document);
    } else {
        ht_report_message("%s is not written: no kernel has a template", path);
        code = HT_EXIT_FAILED;
    }
    json_decref(entries);
    return code;
}

static bool answers(const ht_recipe *recipe, const ht_recipe_kernel *kernel, const json_t *row) {
    return ht_recipe_find(recipe, ht_report_text_of(row, "name")) == kernel;
}

int ht_recipe_check(const ht_recipe *recipe, const json_t *rows) {
    int code = HT_EXIT_OK;
    for (size_t i = 0; i < recipe->kernel_count; ++i) {
        const ht_recipe_kernel *kernel = &recipe->kernels[i];
        size_t index, found = 0;
        json_t *row;
        json_array_foreach(rows, index, row) {
            if (!answers(recipe, kernel, row))
                continue;
            ++found;
            if (strcmp(ht_report_text_of(row, "status"), "templated") == 0)
                continue;
            ht_report_message("%s: kernel %s is %s, not as the recipe asks: %s",
                              ht_report_text_of(row, "file"), ht_report_text_of(row, "name"),
                              ht_report_text_of(row, "status"), ht_report_text_of(row, "reason"));
            code = HT_EXIT_FAILED;
        }
        if (found)
            continue;
        ht_report_message("the recipe's kernel %s was not found", kernel->kernel);
        code = HT_EXIT_FAILED;
    }
    return code;
}
