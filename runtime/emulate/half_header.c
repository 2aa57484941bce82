#include "runtime/emulate/half_header.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const char name[] = "hip/amd_detail/amd_hip_fp16.h";
static const char system_headers[] = "/usr/include";

/* The two structures of numbers, which begin and end with these words. */
static const char half_begin[] = "struct __half {", half2_begin[] = "struct __half2 {",
                  half2_end[] = "// END STRUCT __HALF2";
static const char bits_x[] = "unsigned short x;", bits_y[] = "unsigned short y;",
                  device[] = "__device__", both[] = "__HOST_DEVICE__", local[] = "#include \"",
                  whole[] = "#include \"hip/";

/* Appends the text up to `end`. Headers that lie next to this one are named from HIP's folder. */
static void append(ht_text *out, const char *text, const char *end) {
    for (const char *at = text; at < end; ++at)
        if (ht_text_begins(at, local) && !ht_text_begins(at, whole)) {
            ht_text_append(out, "#include \"hip/amd_detail/");
            at += strlen(local) - 1;
        } else
            ht_text_append_n(out, at, 1);
}

/* Appends what lies between the structures' first and last words; members of the second one that
 * are numbers of bits become halves. */
static void append_structures(ht_text *out, const char *text, const char *half2, const char *end) {
    for (const char *at = text; at < end;) {
        const char *from = ht_text_begins(at, device)   ? device
                           : at < half2                 ? NULL
                           : ht_text_begins(at, bits_x) ? bits_x
                           : ht_text_begins(at, bits_y) ? bits_y
                                                        : NULL;
        if (from == NULL) {
            ht_text_append_n(out, at++, 1);
            continue;
        }
        ht_text_append(out, from == device ? both : from == bits_x ? "__half x;" : "__half y;");
        at += strlen(from);
    }
}

char *ht_half_header_change(const char *text) {
    const char *half = strstr(text, half_begin);
    const char *half2 = half != NULL ? strstr(half, half2_begin) : NULL;
    const char *end = half2 != NULL ? strstr(half2, half2_end) : NULL;
    const char *bits = end != NULL ? strstr(half2, bits_x) : NULL;
    if (bits == NULL || bits > end)
        return NULL;
    ht_text out = {0};
    append(&out, text, half);
    append_structures(&out, half, half2, end);
    append(&out, end, end + strlen(end));
    return ht_text_take(&out);
}

ht_status ht_half_header_write(const char *folder, ht_error *error) {
    char *from = ht_path_join(system_headers, name), *text = NULL;
    ht_status status = HT_OK;
    if (ht_file_exists(from) && ht_file_read_text(from, "HIP's header", &text, NULL) == HT_OK) {
        char *changed = ht_half_header_change(text);
        char *path = ht_path_join(folder, name), *place = ht_path_folder(path);
        if (changed != NULL) {
            status = ht_dir_make(place, error);
            if (status == HT_OK)
                status = ht_file_write(path, changed, strlen(changed), error);
        }
        free(place);
        free(path);
        free(changed);
    }
    free(text);
    free(from);
    return status;
}
