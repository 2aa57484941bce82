#include "runtime/emulate/thunks.h"

#include "base/memory.h"
#include "runtime/compile/demangle.h"
#include "runtime/emulate/api.h"
#include "runtime/host/object.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct ht_thunks {
    char **names;
    size_t count;
};

ht_thunks *ht_thunks_new(void) {
    return ht_alloc(1, sizeof(ht_thunks));
}

void ht_thunks_free(ht_thunks *thunks) {
    ht_strings_free(thunks->names, thunks->count);
    free(thunks);
}

/* Returns true for a name of HIP's, of C or of C++; not for the image, which the program has. */
static bool is_hip(const char *symbol) {
    static const char *const symbols[] = {"hip", "__hip", "_Z", NULL};
    static const char *const names[] = {"hip", "__hip", NULL};
    if (!ht_text_starts(symbol, symbols) || ht_text_begins(symbol, "__hip_fatbin"))
        return false;
    char *words = ht_demangle(symbol);
    bool is = ht_text_starts(words, names);
    free(words);
    return is;
}

static bool has(const ht_thunks *thunks, const char *name) {
    for (size_t i = 0; i < thunks->count; ++i)
        if (strcmp(thunks->names[i], name) == 0)
            return true;
    return false;
}

ht_status ht_thunks_add(ht_thunks *thunks, void *data, size_t length, ht_error *error) {
    ht_object *object;
    ht_status status = ht_object_open(data, length, &object, error);
    if (status != HT_OK)
        return status;
    const char **names;
    size_t count = ht_object_undefined(object, &names);
    for (size_t i = 0; i < count; ++i)
        if (is_hip(names[i]) && !has(thunks, names[i])) {
            HT_GROW(thunks->names, thunks->count);
            thunks->names[thunks->count++] = ht_strdup(names[i]);
        }
    free(names);
    ht_object_free(object);
    return HT_OK;
}

void ht_thunks_write(const ht_thunks *thunks, ht_text *out) {
    ht_text_append(out, ".text\n");
    for (size_t i = 0; i < thunks->count; ++i) {
        const char *name = thunks->names[i];
        /* Hidden: a library that the program loads has HIP of its own. */
        ht_text_printf(out, ".globl %s\n.hidden %s\n.type %s,@function\n%s:\n", name, name, name,
                       name);
        if (ht_emulate_has(name)) {
            ht_text_printf(out, "jmp *ht_emulate_%s@GOTPCREL(%%rip)\n", name);
            continue;
        }
        char *words = ht_demangle(name);
        ht_text_printf(out,
                       "leaq .Lname%zu(%%rip), %%rdi\nmovq (%%rsp), %%rsi\n"
                       "jmp *ht_emulate_missing@GOTPCREL(%%rip)\n"
                       ".section .rodata\n.Lname%zu: .string \"%.*s\"\n.text\n",
                       i, i, (int)strcspn(words, "(\"\\"), words);
        free(words);
    }
    ht_text_append(out, ".section .note.GNU-stack,\"\",@progbits\n");
}
