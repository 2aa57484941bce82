#include "refactor/source/stub.h"

#include "refactor/source/source.h"

#include <stdint.h>

ht_status ht_stub_check(const char *path, const ht_refactor_options *options, ht_error *error) {
    ht_source *source;
    ht_status status = ht_source_open(path, options, &source, error);
    if (status == HT_ERROR_IO)
        return ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                               "--stub: %s cannot be read: name a header that is there", path);
    if (status != HT_OK)
        return status;
    if (source->errors.count) {
        const ht_source_error *first = &source->errors.items[0];
        const char *file = first->file == SIZE_MAX ? path : source->files[first->file].path;
        status = ht_error_set_at(error, HT_ERROR_INPUT, file, first->line, first->column,
                                 "%s:%d:%d: %s; --stub is read after HIP's header and ahead of "
                                 "each source: declare there what it names",
                                 file, first->line, first->column, first->message);
    }
    ht_source_free(source);
    return status;
}
