#include "pipeline/refactor_inputs.h"

#include "base/file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* Loads the database that is given, or that lies in a given folder or its build folder. */
static ht_status commands_load(const ht_refactor_request *request, ht_command_list *out_list,
                               ht_error *error) {
    static const char *const places[] = {"compile_commands.json", "build/compile_commands.json"};
    *out_list = (ht_command_list){0};
    if (request->commands)
        return ht_error_named(ht_command_list_load(request->commands, out_list, error), error);
    for (size_t i = 0; i < request->path_count * 2; ++i) {
        char *path = ht_path_join(request->paths[i / 2], places[i % 2]);
        bool found = ht_file_exists(path);
        ht_status status = found ? ht_command_list_load(path, out_list, error) : HT_OK;
        free(path);
        if (found)
            return status;
    }
    return HT_OK;
}

static bool output_taken(const ht_refactor_inputs *in, size_t count, const char *output) {
    for (size_t i = 0; i < count; ++i)
        if (strcmp(in->sources[i].output, output) == 0)
            return true;
    return false;
}

/* Names the output of a header that was not asked for: "tile.h", else "tile-2.h". */
static char *header_output(const ht_refactor_inputs *in, size_t count, const char *path) {
    const char *name = ht_path_name(path), *dot = strrchr(name, '.');
    size_t stem = dot && dot > name ? (size_t)(dot - name) : strlen(name);
    char *output = ht_strdup(name);
    for (int i = 2; output_taken(in, count, output); ++i) {
        free(output);
        output = ht_format("%.*s-%d%s", (int)stem, name, i, name + stem);
    }
    return output;
}

static void sources_fill(ht_refactor_inputs *in, const ht_sources *found) {
    in->sources = ht_alloc(in->tree.count + 1, sizeof *in->sources);
    for (size_t i = 0; i < in->tree.count; ++i) {
        size_t given = in->tree.files[i].given;
        bool header = given == SIZE_MAX;
        in->sources[i] = (ht_source){.path = ht_strdup(in->tree.files[i].path),
                                     .output = header ? header_output(in, i, in->tree.files[i].path)
                                                      : ht_strdup(found->items[given].output),
                                     .named = !header && found->items[given].named};
    }
}

ht_status ht_refactor_inputs_find(const ht_refactor_request *request,
                                  ht_refactor_inputs *out_inputs, ht_error *error) {
    ht_sources found;
    ht_command_list commands;
    *out_inputs = (ht_refactor_inputs){0};
    ht_status status =
        ht_sources_find(request->paths, request->path_count, request->out, &found, error);
    if (status != HT_OK)
        return status;
    status = commands_load(request, &commands, error);
    if (status == HT_OK) {
        const char **roots = ht_alloc(request->path_count, sizeof *roots);
        const char **paths = ht_alloc(found.count + 1, sizeof *paths);
        ht_tree_options options = {.roots = roots,
                                   .skip = request->out,
                                   .compiler = &request->compiler,
                                   .commands = &commands};
        for (size_t i = 0; i < request->path_count; ++i)
            if (ht_dir_exists(request->paths[i]))
                roots[options.root_count++] = request->paths[i];
        for (size_t i = 0; i < found.count; ++i)
            paths[i] = found.items[i].path;
        ht_tree_make(paths, found.count, &options, &out_inputs->tree);
        sources_fill(out_inputs, &found);
        free(roots);
        free(paths);
    }
    ht_command_list_free(&commands);
    ht_sources_free(&found);
    return status;
}

void ht_refactor_inputs_free(ht_refactor_inputs *inputs) {
    for (size_t i = 0; i < inputs->tree.count; ++i) {
        free(inputs->sources[i].path);
        free(inputs->sources[i].output);
    }
    free(inputs->sources);
    ht_tree_free(&inputs->tree);
}

const char **ht_refactor_inputs_arguments(const ht_refactor_inputs *inputs,
                                          const ht_refactor_request *request, size_t index,
                                          size_t *out_count) {
    const ht_tree_file *file = &inputs->tree.files[index];
    const ht_refactor_options *given = &request->compiler;
    size_t count = given->argument_count + file->argument_count;
    const char **arguments = ht_alloc(count + 1, sizeof *arguments);
    for (size_t i = 0; i < count; ++i)
        arguments[i] = i < file->argument_count ? file->arguments[i]
                                                : given->arguments[i - file->argument_count];
    *out_count = count;
    return arguments;
}
