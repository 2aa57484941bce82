#include "bind_all.h"
#include "fuzz.h"

#include "templates/problem_file/problem_file.h"

/* Makes a template of the entry, as one who found the kernel in a source would. */
static void use(const ht_problem_entry *entry) {
    ht_template *template = ht_alloc(1, sizeof *template);
    ht_error error;
    template->name = ht_strdup(entry->kernel ? entry->kernel : "k");
    ht_problem_entry_apply(entry, template);
    if (entry->kernel) {
        template->launches = ht_alloc(1, sizeof *template->launches);
        template->launch_count = ht_problem_entry_launch(entry, template->launches);
    }
    ht_status status = ht_template_check(template, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK)
        for (size_t i = 0; i < entry->instance_count; ++i)
            fuzz_bind_all(template, &entry->instances[i]);
    ht_template_free(template, 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = ht_strndup((const char *)data, size);
    ht_problem_file *file;
    ht_error error;
    ht_status status = ht_problem_file_parse(text, "f", &file, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK) {
        for (size_t i = 0; i < file->entry_count; ++i) {
            use(&file->entries[i]);
            if (file->entries[i].kernel)
                FUZZ_CHECK(ht_problem_file_entry(file, file->entries[i].kernel) ==
                           &file->entries[i]);
        }
        ht_problem_file_free(file);
    }
    free(text);
    return 0;
}
