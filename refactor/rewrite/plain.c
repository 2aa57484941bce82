#include "refactor/rewrite/plain.h"

#include "refactor/result.h"
#include "refactor/rewrite/foreign.h"
#include "refactor/rewrite/written.h"

#include <stdlib.h>

ht_status ht_plain_template(const ht_refactor *refactor, size_t kernel, ht_template **out_template,
                            ht_error *error) {
    const ht_kernel *of = ht_refactor_kernel(refactor, kernel);
    *out_template = NULL;
    if (of->status == HT_KERNEL_ANNOTATED || !refactor->work[kernel].modelled ||
        !refactor->work[kernel].model.entry)
        return ht_error_set(error, HT_ERROR_UNSUPPORTED, "its launch is not read: %s",
                            of->status == HT_KERNEL_ANNOTATED ? "it is annotated itself"
                            : of->reason                      ? of->reason
                                                              : "it is not modelled");
    char *text = ht_foreign_original(refactor);
    ht_applied_file file = {of->file, text};
    const ht_applied applied = {&file, 1};
    ht_written *written = NULL;
    ht_written_kernel read = {0};
    ht_status status = ht_written_open(refactor, &applied, &written, error);
    if (status == HT_OK)
        ht_written_kernel_read(written, kernel, &read);
    const ht_written_launch *launch = read.launch_count ? &read.launches[0] : NULL;
    if (status == HT_OK && !(launch && launch->template))
        status = ht_error_set(error, HT_ERROR_UNSUPPORTED, "its launch is not read: %s",
                              read.fault ? read.fault
                              : launch   ? launch->unread
                                         : "the file has no launch");
    if (status == HT_OK)
        *out_template = ht_template_copy(launch->template);
    ht_written_kernel_free(&read);
    ht_written_close(written);
    free(text);
    return status;
}
