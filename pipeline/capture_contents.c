#include "pipeline/capture_contents.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "runtime/buffers/element.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE_MAX = 4 << 10 };

void ht_capture_files_free(ht_capture_files *files) {
    for (size_t i = 0; i < files->count; ++i)
        free(files->items[i].name);
    free(files->items);
    *files = (ht_capture_files){0};
}

static const ht_captured_argument *seen(const ht_capture_buffer *of, size_t launch) {
    return of->parts != NULL ? &of->parts[launch]
                             : &of->kernel->launches[launch]->arguments[of->argument];
}

/* Numbers that are all the same, such as the zeros of fresh memory, would hide mistakes that random
 * ones show. */
static bool is_varied(const ht_capture_buffer *of, ht_element element) {
    const ht_captured_argument *argument = seen(of, 0);
    const unsigned char *bytes =
        ht_byte_store_at(of->kernel->contents, argument->content, argument->bytes);
    size_t size = element.bytes;
    for (uint64_t at = size; bytes != NULL && at + size <= argument->bytes; at += size)
        if (memcmp(bytes, bytes + at, size) != 0)
            return true;
    return false;
}

static bool is_wanted(const ht_capture_buffer *of, ht_element *out_element) {
    if (of->kernel->files == NULL || !ht_text_begins(of->line->role, "in") ||
        !ht_element_parse(of->line->type, out_element))
        return false;
    if (!is_varied(of, *out_element))
        return false;
    bool table = strcmp(of->line->role, "in") == 0 && seen(of, 0)->bytes <= TABLE_MAX;
    return !ht_element_floating(*out_element) || (of->indices && table);
}

/* Adds a file of this content. Returns its name, borrowed. */
static const char *file_put(ht_capture_files *files, const char *name, const unsigned char *bytes,
                            uint64_t length) {
    HT_GROW(files->items, files->count);
    char *full = ht_format("%s.%016" PRIx64 ".bin", name, ht_hash_short(bytes, length));
    files->items[files->count++] = (ht_capture_file){full, bytes, length};
    return full;
}

char *ht_capture_file_add(ht_capture_files *files, const char *name, const unsigned char *bytes,
                          uint64_t length) {
    return ht_format("file(\"%s\")", file_put(files, name, bytes, length));
}

/* Adds a launch's content to the kernel's files; false when it is not kept. */
static bool file_add(const ht_capture_buffer *of, const ht_captured_argument *argument,
                     uint64_t length, ht_text *names) {
    const unsigned char *bytes =
        ht_byte_store_at(of->kernel->contents, argument->content, argument->bytes);
    if (bytes == NULL || length == 0)
        return false;
    ht_text_printf(names, "%s\"%s\"", names->length > 0 ? ", " : "",
                   file_put(of->kernel->files, of->line->name, bytes, length));
    return true;
}

/* Returns true if two launches passed the same bytes. */
static bool same_content(const ht_capture_buffer *of, size_t a, size_t b) {
    const ht_captured_argument *one = seen(of, a), *other = seen(of, b);
    const ht_byte_store *contents = of->kernel->contents;
    const unsigned char *bytes = ht_byte_store_at(contents, one->content, one->bytes);
    const unsigned char *others = ht_byte_store_at(contents, other->content, other->bytes);
    return bytes != NULL && others != NULL && one->bytes == other->bytes &&
           memcmp(bytes, others, one->bytes) == 0;
}

/* Of launches with buffers of the same size the one that took longest counts. */
char *ht_capture_contents(const ht_capture_buffer *of) {
    ht_element element;
    uint64_t sizes[HT_INIT_FILES];
    size_t launches[HT_INIT_FILES], count = 0;
    ht_text names = {0};
    bool kept = is_wanted(of, &element);
    for (size_t i = 0; i < of->kernel->count && kept; ++i) {
        const ht_captured_argument *argument = seen(of, i);
        uint64_t length = argument->bytes - argument->bytes % ht_element_size(element);
        size_t known = 0;
        while (known < count && sizes[known] != length)
            ++known;
        if (known < count) {
            of->others[i] = of->others[i] || !same_content(of, launches[known], i);
            continue;
        }
        if (count == HT_INIT_FILES) {
            of->others[i] = true;
            continue;
        }
        launches[count] = i;
        sizes[count++] = length;
        kept = file_add(of, argument, length, &names);
    }
    char *text = kept && count > 0 ? ht_format("file(%s)", names.data) : NULL;
    ht_text_free(&names);
    return text;
}
