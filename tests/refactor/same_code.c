#include "same_code.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "templates/bind.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Adds "&name" instances of every launch, so that a compiler instantiates them. */
static void add_instances(const ht_template *template, const ht_launch *launches, size_t count,
                          const char *prefix, ht_text *out) {
    ht_device_fields device = {0};
    ht_binding binding = {template, NULL, &device};
    ht_config config = ht_config_default(template);
    for (size_t i = 0; i < count; ++i) {
        char *name = ht_binding_name_expression(&binding, &config, &launches[i]);
        ht_text_printf(out, "auto %s_%zu = &%s;\n", prefix, i, name);
        free(name);
    }
}

/* Returns the parameters that the preprocessor binds, at their defaults; free(). */
static char *macros_of(const ht_template *template) {
    ht_device_fields device = {0};
    ht_binding binding = {template, NULL, &device};
    ht_config config = ht_config_default(template);
    ht_text text = {0};
    char **macros;
    size_t count;
    ht_text_append(&text, "");
    ht_binding_macros(&binding, &config, &macros, &count);
    for (size_t i = 0; i < count; ++i) {
        ht_text_printf(&text, " '%s'", macros[i]);
        free(macros[i]);
    }
    free(macros);
    return ht_text_take(&text);
}

static int compile(const char *text, const char *macros, const char *options, char **out_output) {
    char *folder;
    ht_error error;
    *out_output = NULL;
    if (ht_dir_temporary("same-code", &folder, &error) != HT_OK)
        return -1;
    char *path = ht_path_join(folder, "unit.hip"), block[4096];
    ht_text output = {0};
    int status = -1;
    char *command =
        ht_format("clang-19 -x hip -std=c++17 -nogpulib --offload-arch=gfx90a -w -include "
                  "hip/hip_runtime.h --cuda-device-only -S -O3 %s %s '%s' -o - 2>&1",
                  macros, options, path);
    FILE *pipe =
        ht_file_write(path, text, strlen(text), &error) == HT_OK ? popen(command, "r") : NULL;
    ht_text_append(&output, "");
    for (size_t got; pipe && (got = fread(block, 1, sizeof block, pipe)) > 0;)
        ht_text_append_n(&output, block, got);
    if (pipe)
        status = pclose(pipe);
    *out_output = ht_text_take(&output);
    ht_dir_remove(folder);
    free(command);
    free(path);
    free(folder);
    return status;
}

/* Takes a line: labels without their numbers; symbols without their names. */
static void line_take(char *line, ht_text *out) {
    line[strcspn(line, ";")] = 0;
    for (char *digits = strstr(line, "BB"); digits; digits = strstr(digits + 2, "BB"))
        for (char *at = digits + 2; *at >= '0' && *at <= '9'; ++at)
            *at = '0';
    for (char *symbol = strstr(line, "_Z"); symbol; symbol = strstr(symbol + 2, "_Z")) {
        size_t length = strspn(symbol, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_$.");
        memset(symbol + 2, '_', length > 2 ? length - 2 : 0);
        memmove(symbol + 2, symbol + length, strlen(symbol + length) + 1);
    }
    size_t length = strlen(line);
    while (length && (line[length - 1] == ' ' || line[length - 1] == '\t'))
        line[--length] = 0;
    if (length)
        ht_text_printf(out, "%s\n", line);
}

/* Returns the instructions of the kernel whose mangled name holds `name`: lines between its label
 * and .Lfunc_end. free(); NULL when it is not there. */
static char *instructions(const char *assembly, const char *name, bool original) {
    ht_text text = {0};
    bool inside = false;
    char *copy = ht_strdup(assembly), *save = NULL;
    for (char *line = strtok_r(copy, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (line[0] == '_' && strstr(line, name) && strchr(line, ':') &&
            (strstr(line, "__original") != NULL) == original) {
            inside = true;
            continue;
        }
        if (strncmp(line, ".Lfunc_end", 10) == 0 || strstr(line, ".section"))
            inside = false;
        if (inside && line[0] != ';' && !strstr(line, ".p2align"))
            line_take(line, &text);
    }
    free(copy);
    return text.length ? ht_text_take(&text) : NULL;
}

static size_t lines(const char *text) {
    size_t count = 0;
    for (; *text; ++text)
        count += *text == '\n';
    return count;
}

static char *first_difference(const char *a, const char *b) {
    for (;;) {
        size_t m = strcspn(a, "\n"), n = strcspn(b, "\n");
        if (m != n || strncmp(a, b, m) != 0)
            return ht_format("%.*s | %.*s", (int)m, a, (int)n, b);
        if (!a[m] || !b[n])
            return NULL;
        a += m + 1;
        b += n + 1;
    }
}

bool same_code_compare(const ht_template *template, const char *kernel, const char *options,
                       same_code *out, char **out_problem) {
    const char *bare = strrchr(kernel, ':') ? strrchr(kernel, ':') + 1 : kernel;
    ht_text unit = {0};
    char *output, *macros = macros_of(template);
    *out = (same_code){0};
    *out_problem = NULL;
    ht_text_append(&unit, template->unit);
    add_instances(template, template->launches, template->launch_count, "tuned", &unit);
    add_instances(template, template->reference_launches, template->reference_launch_count, "plain",
                  &unit);
    int status = compile(unit.data, macros, options, &output);
    char *original = status == 0 ? instructions(output, bare, true) : NULL;
    char *tuned = status == 0 ? instructions(output, bare, false) : NULL;
    if (status != 0)
        *out_problem = ht_format("clang: %.*s", (int)strcspn(output ? output : "", "\n"),
                                 output ? output : "");
    else if (!original || !tuned)
        *out_problem =
            ht_format("the %s is not in the assembly", original ? "variant" : "original");
    else {
        out->before = lines(original);
        out->after = lines(tuned);
        out->same = strcmp(original, tuned) == 0;
        out->difference = out->same ? NULL : first_difference(original, tuned);
    }
    free(original);
    free(tuned);
    free(output);
    free(macros);
    ht_text_free(&unit);
    return *out_problem == NULL;
}
