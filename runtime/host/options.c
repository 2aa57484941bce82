#include "runtime/host/options.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

static void add(ht_option_list *list, const char *option) {
    HT_GROW(list->items, list->count);
    list->items[list->count++] = option;
}

/* Defines "NAME", "NAME=value", "NAME(x)=value". */
static void define(ht_option_list *list, const char *macro) {
    size_t length = strcspn(macro, "=\n");
    const char *value = macro[length] == '=' ? macro + length + 1 : "1";
    ht_text_printf(&list->macros, "#define %.*s %.*s\n", (int)length, macro,
                   (int)strcspn(value, "\n"), value);
}

static void undefine(ht_option_list *list, const char *macro) {
    ht_text_printf(&list->macros, "#undef %.*s\n", (int)strcspn(macro, "\n"), macro);
}

static bool read_one(const char *option, ht_option_list *list) {
    static const char *const loading[] = {"-fplugin", "-fpass-plugin", "-fmodule", NULL};
    static const char *const dropped[] = {
        "--offload-arch=", "--gpu-architecture=", "-fgpu-", "-fno-gpu-", "-fhip-", "-mcumode",
        "-mno-cumode",     "-munsafe-fp-atomics", NULL};
    static const char *const passed[] = {
        "-D", "-U", "-I", "-isystem", "-std=", "--std=", "-O", "-W", "-w", "-f", "-g", NULL};
    if (strcmp(option, "-mwavefrontsize64") == 0)
        add(list, "-D__AMDGCN_WAVEFRONT_SIZE=64");
    else if (strcmp(option, "-mno-wavefrontsize64") == 0)
        add(list, "-D__AMDGCN_WAVEFRONT_SIZE=32");
    else if (strcmp(option, "--check") == 0)
        list->checked = true;
    else if (strcmp(option, "--check=count") == 0)
        list->checked = list->counted = true;
    else if (strcmp(option, "--check=address") == 0)
        list->checked = list->addressed = true;
    else if (strncmp(option, "-D", 2) == 0)
        define(list, option + 2);
    else if (strncmp(option, "-U", 2) == 0)
        undefine(list, option + 2);
    else if (ht_text_starts(option, loading))
        return false;
    else if (ht_text_starts(option, dropped))
        return true;
    else if (ht_text_starts(option, passed))
        add(list, option);
    else
        return false;
    return true;
}

bool ht_options_read(size_t count, const char *const *options, ht_option_list *out_list,
                     ht_text *log) {
    static const char *const paired[] = {"-I", "-isystem", NULL};
    for (size_t i = 0; i < count; ++i) {
        bool last = i + 1 == count;
        if (strcmp(options[i], "-D") == 0 && !last) {
            define(out_list, options[++i]);
        } else if (strcmp(options[i], "-U") == 0 && !last) {
            undefine(out_list, options[++i]);
        } else if (ht_text_is_one(options[i], paired) && !last) {
            add(out_list, options[i]);
            add(out_list, options[++i]);
        } else if (!read_one(options[i], out_list)) {
            ht_text_printf(log, "the host provider does not know the option '%s'\n", options[i]);
            return false;
        }
    }
    return true;
}

void ht_options_free(ht_option_list *list) {
    free(list->items);
    ht_text_free(&list->macros);
    *list = (ht_option_list){0};
}
