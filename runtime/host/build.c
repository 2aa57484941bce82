#include "runtime/host/build.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/memory.h"
#include "runtime/compile/compile_log.h"
#include "runtime/host/dynamic_shared.h"
#include "runtime/host/folder.h"
#include "runtime/host/kept_object.h"
#include "runtime/host/launch_bounds.h"
#include "runtime/host/libraries.h"
#include "runtime/host/object.h"
#include "runtime/host/options.h"
#include "runtime/host/parsed_prelude.h"
#include "runtime/host/prelude/ht_state.h"
#include "runtime/host/program.h"
#include "runtime/host/toolchain.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

enum { IMAGE_MAX = 256 << 20 };

typedef struct build {
    const ht_build_input *input;
    const ht_toolchain *toolchain;
    const char *home; /* the process's folder */
    char *folder;     /* this compile's own */
    ht_text *log;
    ht_text texts; /* of the unit and its headers, each with its hash */
    bool checked, counted, addressed;
    const ht_build_entry *entries; /* of the object */
    size_t entry_count;
    ht_kept_object kept; /* the image's place among those that are kept */
    size_t said;         /* length of the log when the compile began */
    bool taken;          /* the image is one that was kept */
} build;

/* Notes a file that could not be written, which says nothing about what was to be compiled. */
static hiprtcResult note(build *in, const ht_error *error) {
    ht_text_printf(in->log, "error: %s%s%s\n", error->file, *error->file ? ": " : "",
                   error->message);
    return error->status == HT_ERROR_IO ? HT_HIPRTC_ERROR_PROGRAM_CREATION
                                        : HT_HIPRTC_ERROR_INTERNAL;
}

static ht_status write_in(build *in, const char *name, const char *data, size_t length,
                          ht_error *error) {
    char *path = ht_path_join(in->folder, name);
    char *parent = ht_path_folder(path);
    ht_status status = ht_dir_make(parent, error);
    if (status == HT_OK)
        status = ht_file_write(path, data, length, error);
    free(parent);
    free(path);
    return status;
}

/* Appends `text` as part of a string literal. */
static void append_quoted(ht_text *to, const char *text) {
    for (; *text; ++text) {
        if (*text == '"' || *text == '\\')
            ht_text_append(to, "\\");
        ht_text_append_n(to, *text == '\n' ? " " : text, 1);
    }
}

/* Appends an entry. All that can be wrong with the expression is wrong in a line of that name. */
static void append_entry(ht_text *to, size_t index, const char *expression) {
    ht_text_printf(to, "HT_ENTRY(" HT_BUILD_ENTRY "%zu) =\n#line 1 \"", index);
    ht_text_append(to, HT_NAME_EXPRESSION);
    append_quoted(to, expression);
    ht_text_printf(to, "\"\nht_entry<(%s)>::make(\"", expression);
    append_quoted(to, expression);
    ht_text_append(to, "\");\n");
}

/* Composes the options' macros, the unit under its own name and lines, then an entry for each name
 * expression. */
static char *compose(const ht_build_input *input, const char *macros) {
    ht_text text = {0};
    ht_text_printf(&text, "#line 1 \"options\"\n%s#include <assert.h>\n", macros ? macros : "");
    ht_text_append(&text, "#line 1 \"");
    append_quoted(&text, input->name);
    ht_text_append(&text, "\"\n");
    char *source = ht_launch_bounds_enforce(input->source);
    ht_dynamic_shared_mark(source);
    ht_text_append(&text, source);
    free(source);
    ht_text_append(&text, "\n#include <ht_end.h>\n");
    for (size_t i = 0; i < input->expression_count; ++i)
        append_entry(&text, i, input->expressions[i]);
    return ht_text_take(&text);
}

/* Returns false for folders above the compile's own, which are not for headers. */
static bool safe_name(const char *name) {
    if (!*name || *name == '/')
        return false;
    for (const char *at = strstr(name, ".."); at; at = strstr(at + 2, ".."))
        if ((at == name || at[-1] == '/') && (at[2] == '/' || at[2] == 0))
            return false;
    return true;
}

/* Writes a text of the unit, and notes its hash. */
static ht_status write_text(build *in, const char *name, const char *text, ht_error *error) {
    char hash[HT_HASH_SIZE];
    ht_hash_bytes(text, strlen(text), hash);
    ht_text_printf(&in->texts, "%s %s\n", hash, name);
    return write_in(in, name, text, strlen(text), error);
}

static hiprtcResult write_sources(build *in, const ht_option_list *options) {
    ht_error error;
    char *source = compose(in->input, options->macros.data);
    ht_status status = write_text(in, "unit.cpp", source, &error);
    free(source);
    for (size_t i = 0; i < in->input->header_count && status == HT_OK; ++i) {
        const ht_build_header *header = &in->input->headers[i];
        if (!safe_name(header->name)) {
            ht_text_printf(in->log, "header name '%s' is not a relative path\n", header->name);
            return HT_HIPRTC_ERROR_INVALID_INPUT;
        }
        char *name = ht_format("include/%s", header->name);
        status = write_text(in, name, header->text, &error);
        free(name);
    }
    return status == HT_OK ? HT_HIPRTC_SUCCESS : note(in, &error);
}

/* Returns true if a tool failed for the disk. Tools remove what they could not write whole, so that
 * a file that alone was too large leaves room. */
static bool disk_is_full(const build *in, size_t said) {
    enum { ROOM = 1 << 20 };
    struct statvfs disk;
    return in->log->data && strstr(in->log->data + said, strerror(ENOSPC)) &&
           statvfs(in->folder, &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize < ROOM;
}

/* Judges a tool's exit status, where its output begins at `said` in the log; a failure without a
 * word is given one. */
static hiprtcResult judge(build *in, const char *const *arguments, int code, size_t said) {
    if (code == 0)
        return HT_HIPRTC_SUCCESS;
    if (disk_is_full(in, said)) {
        ht_error error = {0};
        ht_error_set_at(&error, HT_ERROR_IO, in->folder, 0, 0,
                        "%s failed on a full disk: %s; free space there, or set TMPDIR to a "
                        "folder that has some",
                        arguments[0], strerror(ENOSPC));
        return note(in, &error);
    }
    if (code < 0 || code > 127 || in->log->length == 0)
        ht_text_printf(in->log, "%s ended with status %d\n", arguments[0], code);
    return HT_HIPRTC_ERROR_COMPILATION;
}

static hiprtcResult run_tool(build *in, const char *const *arguments) {
    size_t said = in->log->length;
    int code = ht_toolchain_run(arguments, in->log);
    return judge(in, arguments, code, said);
}

/* The options of every unit; the caller's come after them and win. */
static const char *const flags[] = {
    "-x", "c++", "-c", "-std=c++17", "-O3", "-march=native", "-fPIC", "-fdeclspec",
    /* Arithmetic as on a GPU: fused within an expression, no errno, no traps. */
    "-ffp-contract=on", "-fno-math-errno", "-fno-trapping-math",
    /* The inner loops of one GPU thread are short and strided: vectorised, they were 3 to 18 %
     * slower, and their wide registers had to be kept across every barrier. Unrolled tiles still
     * become vectors (SLP). */
    "-fno-vectorize",
    /* Entries alone are exported, so that the rest can be inlined and dropped. */
    "-fvisibility=hidden",
    /* Nothing is ever thrown or unwound. */
    "-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics", "-fno-asynchronous-unwind-tables",
    "-fno-stack-protector", "-fno-color-diagnostics", "-Wno-pass-failed",
    "-Wno-pragma-once-outside-header",
    /* CUDA's compiler only warns of these. */
    "-Wno-register", "-Wno-c++11-narrowing"};

/* And for checking: every access announced, with its line; none merged into vectors too wide to be
 * announced. The prelude answers the instrumentation's calls (ht_check.h). */
static const char *const checked_flags[] = {"-DHT_CHECKED",
                                            "-O1",
                                            "-emit-llvm",
                                            "-gline-tables-only",
                                            "-fno-slp-vectorize",
                                            "-fno-unroll-loops",
                                            HT_BUILD_SANITIZERS,
                                            "-fstrict-flex-arrays=3", /* packs end in an array */
                                            "-fno-sanitize-recover=all",
                                            "-mllvm",
                                            "-tsan-instrument-func-entry-exit=0"};

/* To count what is loaded: optimised nearly as for running, but for vectors. (-O3 would promote
 * pointer arguments of the prelude's own functions, whose accesses then count as the kernel's.) */
static const char *const counted_flags[] = {"-O2", "-funroll-loops"};

/* With AddressSanitizer as well, for what lies between arrays; clang's driver would refuse the two
 * together. It goes on after a report, and the program stops at the next access. It looks by a
 * call, as every access is announced by one: looking in place was most of the code there was to
 * translate. */
static const char *const addressed_flags[] = {
    "-Xclang", "-fsanitize=address",
    "-Xclang", "-fsanitize-recover=address",
    "-mllvm",  "-asan-instrumentation-with-call-threshold=0"};

static const char **append(const char **to, const char *const *from, size_t count) {
    if (count)
        memcpy(to, from, count * sizeof *from);
    return to + count;
}

/* Returns the option of tests that compare outputs alone, and compile with less; NULL: no less. */
static const char *less(void) {
    static const char *const levels[] = {"-O0", "-O1", "-O2"};
    const char *asked = getenv("HIPTEMPER_HOST_LEVEL");
    return asked && *asked >= '0' && *asked < '3' && !asked[1] ? levels[*asked - '0'] : NULL;
}

char *ht_build_flags(void) {
    ht_text text = {0};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; ++i)
        ht_text_printf(&text, "%s%s", i ? " " : "", flags[i]);
    if (less())
        ht_text_printf(&text, " %s", less());
    return ht_text_take(&text);
}

/* Translates to machine code without improving it: with allocation of registers and scheduling,
 * code that announces every access took four times as long to compile, for runs that are not
 * shorter. */
static hiprtcResult translate(build *in, const char *code, const char *object) {
    const char *arguments[] = {in->toolchain->clang,
                               "-c",
                               "-O0",
                               "-march=native",
                               "-fPIC",
                               "-w",
                               "-x",
                               "ir",
                               code,
                               "-o",
                               object,
                               NULL};
    return run_tool(in, arguments);
}

/* Composes clang and the arguments that say how a unit is compiled, apart from its files; an array
 * with room for `more` others, free(). */
static const char **compose_arguments(const build *in, const ht_option_list *options, size_t more,
                                      size_t *out_count) {
    enum { FLAGS = sizeof flags / sizeof *flags };
    size_t extra = options->checked ? sizeof checked_flags / sizeof *checked_flags : 0;
    size_t counted = options->counted ? sizeof counted_flags / sizeof *counted_flags : 0;
    size_t addressed = options->addressed ? sizeof addressed_flags / sizeof *addressed_flags : 0;
    const char *level = less();
    *out_count = 1 + FLAGS + (level != NULL) + options->count + extra + counted + addressed;
    const char **arguments = ht_alloc(*out_count + more, sizeof *arguments), **end = arguments;
    *end++ = in->toolchain->clang;
    end = append(end, flags, FLAGS);
    end = append(end, &level, level != NULL);
    end = append(end, options->items, options->count);
    end = append(end, checked_flags, extra);
    end = append(end, counted_flags, counted);
    append(end, addressed_flags, addressed);
    return arguments;
}

/* Returns true if clang's output since `said` says that it did not take a parsed header. */
static bool is_refused(const build *in, size_t said) {
    static const char *const words[] = {"PCH", "AST file", "precompiled "};
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i)
        if (in->log->data && strstr(in->log->data + said, words[i]))
            return true;
    return false;
}

/* Compiles with the parsed prelude, where there is one. `first` are the two arguments that include
 * its text, which is taken when clang refuses the parsed one. */
static hiprtcResult run_clang(build *in, const char **arguments, size_t count, const char **first) {
    const char *parsed = ht_parsed_prelude(in->toolchain, arguments + 1, count - 1);
    if (!parsed)
        return run_tool(in, arguments);
    const char *text[] = {first[0], first[1]};
    size_t said = in->log->length;
    first[0] = "-include-pch";
    first[1] = parsed;
    int code = ht_toolchain_run(arguments, in->log);
    if (code == 0 || !is_refused(in, said))
        return judge(in, arguments, code, said);
    in->log->length = said;
    if (in->log->data)
        in->log->data[said] = '\0';
    memcpy(first, text, sizeof text);
    hiprtcResult result = run_tool(in, arguments);
    if (result == HT_HIPRTC_SUCCESS)
        ht_parsed_prelude_refuse(parsed);
    return result;
}

/* Finds the image's place among those that are kept: by all that decides what clang and the linker
 * make of the unit, but for files that clang reads elsewhere. */
static ht_kept_object name_image(const build *in, const char *const *arguments, size_t count) {
    /* Of what is done here between the two; whoever changes that takes another one. */
    enum { FORM = 1 };
    ht_kept_object object = {.folder = ht_cache_objects()};
    if (!object.folder)
        return object;
    static const char *const variables[] = {"CPATH", "CPLUS_INCLUDE_PATH"};
    char prelude[HT_HASH_SIZE];
    ht_text text = {0};
    ht_host_prelude_hash(prelude);
    ht_toolchain_describe(in->toolchain, &text);
    ht_text_printf(&text, "%d\n%s\n%s%d\n", FORM, prelude, in->texts.data, in->checked);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char *value = getenv(variables[i]);
        ht_text_printf(&text, "%s\n", value ? value : "");
    }
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, "%s\n", arguments[i]);
    ht_hash_bytes(text.data, text.length, object.key);
    ht_text_free(&text);
    return object;
}

/* Keeps an image that was just made, with what was said. */
static void keep(const build *in) {
    /* The parsed prelude was made of text that lies there. */
    const char *cache = ht_cache_folder(),
               *own[] = {in->folder, in->home, cache ? cache : in->home};
    char *image = ht_path_join(in->folder, "unit.so"), *list = ht_path_join(in->folder, "unit.d");
    ht_kept_object_put(&in->kept, image, list, own, sizeof own / sizeof *own,
                       in->log->data ? in->log->data + in->said : "");
    free(list);
    free(image);
}

/* Makes the object, unless the image is kept. */
static hiprtcResult compile(build *in, const ht_option_list *options) {
    hiprtcResult result = HT_HIPRTC_SUCCESS;
    char *prelude = ht_format("-isystem%s/prelude", in->home);
    char *first = ht_format("%s/prelude/ht_prelude.h", in->home);
    char *include = ht_format("-I%s/include", in->folder);
    char *source = ht_path_join(in->folder, "unit.cpp");
    char *object = ht_path_join(in->folder, "unit.o");
    char *image = ht_path_join(in->folder, "unit.so");
    char *code = ht_path_join(in->folder, "unit.bc");
    char *list = ht_path_join(in->folder, "unit.d");
    const char *own[] = {
        "-include", first, prelude, include, source, "-o", in->checked ? code : object,
        "-MD",      "-MF", list};
    enum { OWN = sizeof own / sizeof *own, LIST = 3 };
    size_t count;
    const char **arguments = compose_arguments(in, options, OWN + 1, &count);
    in->said = in->log->length;
    in->kept = name_image(in, arguments, count);
    append(arguments + count, own,
           in->kept.folder ? OWN : OWN - LIST); /* the list is for keeping */
    in->taken = ht_kept_object_take(&in->kept, image, in->log);
    if (!in->taken) {
        result = run_clang(in, arguments, count, arguments + count);
        if (result == HT_HIPRTC_SUCCESS && in->checked)
            result = translate(in, code, object);
    }
    free(arguments);
    free(list);
    free(code);
    free(image);
    free(object);
    free(source);
    free(include);
    free(first);
    free(prelude);
    return result;
}

void ht_build_prepare(size_t option_count, const char *const *options) {
    build in = {0};
    ht_option_list list = {0};
    ht_text log = {0};
    if (ht_options_read(option_count, options, &list, &log) &&
        ht_toolchain_find(&in.toolchain, NULL) == HT_OK) {
        size_t count;
        const char **arguments = compose_arguments(&in, &list, 0, &count);
        ht_parsed_prelude(in.toolchain, arguments + 1, count - 1);
        free(arguments);
    }
    ht_text_free(&log);
    ht_options_free(&list);
}

/* Defines `extern __shared__` arrays, which are undefined symbols: a second object has all of them
 * as one block. */
static hiprtcResult define_dynamic(build *in, const char **names, size_t count) {
    ht_text text = {0};
    const char *type = in->checked ? "object" : "tls_object";
    ht_text_printf(&text,
                   ".section %s,@nobits\n.balign 256\n.globl " HT_BUILD_DYNAMIC
                   "\n.type " HT_BUILD_DYNAMIC ",@%s\n" HT_BUILD_DYNAMIC ":\n",
                   in->checked ? ".bss.dynamic,\"aw\"" : ".tbss,\"awT\"", type);
    for (size_t i = 0; i < count; ++i)
        ht_text_printf(&text, ".globl %s\n.hidden %s\n.type %s,@%s\n%s:\n", names[i], names[i],
                       names[i], type, names[i]);
    ht_text_printf(&text,
                   ".zero %d\n.size " HT_BUILD_DYNAMIC ", %d\n"
                   ".section .note.GNU-stack,\"\",@progbits\n",
                   HT_DYNAMIC_LDS_MAX, HT_DYNAMIC_LDS_MAX);
    ht_error error;
    ht_status status = write_in(in, "dynamic.s", text.data, text.length, &error);
    ht_text_free(&text);
    if (status != HT_OK)
        return note(in, &error);
    char *source = ht_path_join(in->folder, "dynamic.s");
    char *object = ht_path_join(in->folder, "dynamic.o");
    const char *arguments[] = {in->toolchain->assembler, source, "-o", object, NULL};
    hiprtcResult result = run_tool(in, arguments);
    free(object);
    free(source);
    return result;
}

/* How an object is linked. */
typedef struct linking {
    const char *libraries[HT_LIBRARIES_MAX];
    size_t library_count;
    bool dynamic; /* with the object of dynamic arrays */
} linking;

static hiprtcResult link_image(build *in, const linking *how) {
    char *object = ht_path_join(in->folder, "unit.o");
    char *second = ht_path_join(in->folder, "dynamic.o");
    char *image = ht_path_join(in->folder, "unit.so");
    const char *first[] = {in->toolchain->linker,
                           "-shared",
                           "--hash-style=gnu",
                           "-z",
                           "noexecstack",
                           "-o",
                           image,
                           object};
    enum { FIRST = sizeof first / sizeof *first };
    const char *arguments[FIRST + 1 + HT_LIBRARIES_MAX + 2];
    const char **end = append(arguments, first, FIRST);
    *end++ = "--as-needed";
    end = append(end, how->libraries, how->library_count);
    if (how->dynamic)
        *end++ = second;
    *end = NULL;
    hiprtcResult result = run_tool(in, arguments);
    free(image);
    free(second);
    free(object);
    return result;
}

/* Notes in each kernel's entry how much static LDS it needs, and refuses one that needs too much.
 */
static hiprtcResult assign_lds(build *in, const ht_object *object) {
    for (size_t i = 0; i < in->entry_count; ++i) {
        const char *symbol = in->entries[i].symbol;
        /* Arrays of a checked unit have space after them; the plain unit's were counted. */
        size_t lds = in->checked ? 0 : ht_object_static_lds(object, symbol);
        struct ht_device_entry *entry = ht_object_find_data(object, symbol, sizeof *entry);
        if (lds > HT_STATIC_LDS_MAX) {
            ht_text_printf(in->log, "%s: error: '%s' needs %zu bytes of LDS, more than %d\n",
                           in->input->name, in->entries[i].words, lds, HT_STATIC_LDS_MAX);
            return HT_HIPRTC_ERROR_COMPILATION;
        }
        unsigned bytes = (unsigned)lds;
        if (entry)
            memcpy((char *)entry + offsetof(struct ht_device_entry, lds), &bytes, sizeof bytes);
    }
    return HT_HIPRTC_SUCCESS;
}

/* Completes the object: the needs of its kernels, and a second object for dynamic arrays. */
static hiprtcResult complete(build *in, char *data, size_t length, linking *out_how) {
    ht_error error;
    ht_object *object;
    if (ht_object_open(data, length, &object, &error) != HT_OK)
        return note(in, &error);
    hiprtcResult result = assign_lds(in, object);
    const char **names;
    size_t count = ht_object_dynamic_arrays(object, in->checked, &names);
    if (result == HT_HIPRTC_SUCCESS && write_in(in, "unit.o", data, length, &error) != HT_OK)
        result = note(in, &error);
    if (result == HT_HIPRTC_SUCCESS && count)
        result = define_dynamic(in, names, count);
    out_how->dynamic = count != 0;
    out_how->library_count = ht_libraries_needed(object, in->checked, out_how->libraries);
    free(names);
    ht_object_free(object);
    return result;
}

static hiprtcResult read_image(build *in, char **out_code, size_t *out_size) {
    ht_error error;
    char *path = ht_path_join(in->folder, "unit.so");
    ht_status status = ht_file_read(path, IMAGE_MAX, out_code, out_size, &error);
    free(path);
    return status == HT_OK ? HT_HIPRTC_SUCCESS : note(in, &error);
}

/* Makes the image of clang's object. */
static hiprtcResult finish(build *in, char **out_code, size_t *out_size) {
    ht_error error;
    char *data;
    size_t length;
    linking how;
    char *path = ht_path_join(in->folder, "unit.o");
    ht_status status = ht_file_read(path, IMAGE_MAX, &data, &length, &error);
    free(path);
    if (status != HT_OK)
        return note(in, &error);
    hiprtcResult result = complete(in, data, length, &how);
    free(data);
    if (result == HT_HIPRTC_SUCCESS)
        result = link_image(in, &how);
    return result == HT_HIPRTC_SUCCESS ? read_image(in, out_code, out_size) : result;
}

/* Finishes a unit, whose entries are those of its name expressions. */
static hiprtcResult finish_expressions(build *in, char **out_code, size_t *out_size) {
    size_t count = in->input->expression_count;
    ht_build_entry *entries = ht_alloc(count + 1, sizeof *entries);
    for (size_t i = 0; i < count; ++i)
        entries[i] =
            (ht_build_entry){ht_format(HT_BUILD_ENTRY "%zu", i), in->input->expressions[i]};
    in->entries = entries;
    in->entry_count = count;
    hiprtcResult result = finish(in, out_code, out_size);
    for (size_t i = 0; i < count; ++i)
        free(entries[i].symbol);
    free(entries);
    return result;
}

hiprtcResult ht_build_finish(const char *folder, const char *name, const ht_build_entry *entries,
                             size_t count, bool checked, char **out_code, size_t *out_size,
                             ht_text *log) {
    const ht_build_input input = {.name = (char *)name};
    build in = {.input = &input,
                .folder = (char *)folder,
                .log = log,
                .checked = checked,
                .entries = entries,
                .entry_count = count};
    ht_error error;
    if (ht_toolchain_find(&in.toolchain, &error) != HT_OK)
        return note(&in, &error);
    return finish(&in, out_code, out_size);
}

hiprtcResult ht_build_run(const ht_build_input *input, size_t option_count, const char **options,
                          char **out_code, size_t *out_size, ht_text *log) {
    static atomic_ulong serial;
    build in = {.input = input, .log = log};
    ht_error error;
    ht_option_list list = {0};
    if (!ht_options_read(option_count, options, &list, log)) {
        ht_options_free(&list);
        return HT_HIPRTC_ERROR_INVALID_OPTION;
    }
    if (ht_toolchain_find(&in.toolchain, &error) != HT_OK ||
        ht_host_folder(&in.home, &error) != HT_OK) {
        ht_options_free(&list);
        return note(&in, &error);
    }
    in.checked = list.checked;
    in.counted = list.counted;
    in.addressed = list.addressed;
    in.folder = ht_format("%s/%lu", in.home, atomic_fetch_add(&serial, 1));
    hiprtcResult result = write_sources(&in, &list);
    if (result == HT_HIPRTC_SUCCESS)
        result = compile(&in, &list);
    if (result == HT_HIPRTC_SUCCESS)
        result = in.taken ? read_image(&in, out_code, out_size)
                          : finish_expressions(&in, out_code, out_size);
    if (result == HT_HIPRTC_SUCCESS && !in.taken)
        keep(&in);
    ht_options_free(&list);
    ht_dir_remove(in.folder);
    ht_text_free(&in.texts);
    free(in.folder);
    return result;
}
