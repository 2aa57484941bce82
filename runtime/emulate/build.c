#include "runtime/emulate/build.h"

#include "base/file.h"
#include "base/memory.h"
#include "runtime/emulate/api.h"
#include "runtime/emulate/device_ir.h"
#include "runtime/emulate/parsed_hip.h"
#include "runtime/emulate/stub.h"
#include "runtime/emulate/thunks.h"
#include "runtime/host/parsed_prelude.h"
#include "runtime/host/toolchain.h"

#include <stdlib.h>
#include <string.h>

enum { IR_MAX = 1 << 30, ARGUMENTS_MAX = 64 };
/* Parsed headers, of 11 MB each. */
enum { KEPT_MOST = 12 };

typedef struct builder {
    const ht_emulate_build *given;
    const ht_toolchain *tools;
    const char *file;      /* the one that is compiled now */
    char *stem;            /* FOLDER/N: what is made of it */
    char *prelude;         /* -isystem folder */
    const char *resources; /* clang's folder of headers */
    char *changed;         /* -isystem folder: HIP's headers that were changed */
    char *cuda;            /* -isystem folder */
    char *kept;            /* the folder of what clang has parsed; NULL: nothing is kept */
    ht_thunks *thunks;
    ht_text *log;
    char **owned; /* words of clang's arguments */
    size_t owned_count;
} builder;

typedef struct words {
    const char **items; /* owned; a terminating NULL is kept */
    size_t count;
} words;

/* AddressSanitizer, in place of what clang would link for it: its library is in the process. Calls
 * keep code small, of which some kernels have much. */
static const char *const sanitized_code[] = {"-fsanitize=address", "-fno-omit-frame-pointer",
                                             "-fsanitize-address-use-after-return=never"};

static void add(words *to, const char *word) {
    HT_GROW(to->items, to->count);
    to->items[to->count++] = word;
}

static void add_all(words *to, const char *const *from, size_t count) {
    for (size_t i = 0; i < count; ++i)
        add(to, from[i]);
}

static void add_sanitized(const builder *in, words *to) {
    if (in->given->sanitized)
        add_all(to, sanitized_code, sizeof sanitized_code / sizeof *sanitized_code);
}

/* Runs a tool on what was collected, and forgets it. */
static ht_status run(builder *in, words *arguments, const char *what, ht_error *error) {
    add(arguments, NULL);
    int code = ht_toolchain_run(arguments->items, in->log);
    free(arguments->items);
    *arguments = (words){0};
    if (code == 0)
        return HT_OK;
    return ht_error_set_at(error, HT_ERROR_COMPILE, in->file, 0, 0, "%s", what);
}

static char *made(const builder *in, const char *suffix) {
    return ht_format("%s.%s", in->stem, suffix);
}

/* Clang's options for HIP, whichever side. -nogpulib: the device libraries are the prelude's. The
 * IR is taken before it is improved: the stubs' text must be what clang wrote. Templates that HIP's
 * header needs are instantiated when it is parsed, not with every file. */
static const char *const both_sides[] = {"-x",
                                         "hip",
                                         "--cuda-host-only",
                                         "-nogpulib",
                                         "-fpch-instantiate-templates",
                                         "-S",
                                         "-emit-llvm",
                                         "-O2",
                                         "-Xclang",
                                         "-disable-llvm-passes",
                                         "-gline-tables-only",
                                         "-fdebug-compilation-dir=.",
                                         "-fPIC",
                                         "-fno-color-diagnostics",
                                         "-Wno-unused-command-line-argument",
                                         "-Wno-unused-result",
                                         "-Wno-ignored-attributes"};

/* The device side: clang takes the file for a GPU's and the machine for the GPU. Its own processor
 * is named a second time, in place of AMD's, whose builtins would hide the prelude's. */
static const char *const device_side[] = {"-Xclang",
                                          "-fcuda-is-device",
                                          "-Xclang",
                                          "-aux-triple",
                                          "-Xclang",
                                          "x86_64-pc-linux-gnu",
                                          "-nogpuinc",
                                          "-march=native",
                                          "-fvisibility=hidden",
                                          "-fno-exceptions",
                                          "-fno-math-errno",
                                          "-fno-trapping-math",
                                          "-fno-threadsafe-statics",
                                          "-fno-stack-protector"};

/* The instrumentation by which checking mode sees accesses (runtime/host/build.c). */
static const char *const checked_side[] = {"-DHT_CHECKED", HT_BUILD_SANITIZERS,
                                           "-fstrict-flex-arrays=3", "-fno-sanitize-recover=all"};

/* Returns true for a source that names CUDA's runtime and not HIP's, as its compiler takes it: with
 * CUDA's header in front. */
static bool is_cuda(const char *path) {
    const char *dot = strrchr(path, '.');
    char *text = NULL;
    if (dot == NULL || strncmp(dot, ".cu", 3) != 0 ||
        ht_file_read(path, 0, &text, NULL, NULL) != HT_OK)
        return false;
    bool cuda = strstr(text, "hip/hip") == NULL;
    free(text);
    return cuda;
}

/* Adds the folders of headers that stand for CUDA's and for some of HIP's own. */
static void add_headers(const builder *in, words *to) {
    add(to, in->changed);
    add(to, in->cuda);
    if (!is_cuda(in->file))
        return;
    add(to, "-Wno-register"); /* which CUDA's compiler only warns of, as of the next */
    add(to, "-Wno-c++11-narrowing");
}

/* Adds the user's options: those of the file, then those of all. */
static void add_given(const builder *in, words *to) {
    const ht_emulate_build *given = in->given;
    for (size_t i = 0; i < given->file_count && given->own_options != NULL; ++i)
        if (given->files[i] == in->file)
            add_all(to, given->own_options[i].items, given->own_options[i].count);
    add_all(to, given->options, given->option_count);
}

static void add_owned(builder *in, words *to, char *word) {
    HT_GROW(in->owned, in->owned_count);
    in->owned[in->owned_count++] = word;
    add(to, word);
}

/* Adds all that both a side of a file and the header that it begins with are compiled with. */
static void add_side(builder *in, bool device, words *to) {
    add_all(to, both_sides, sizeof both_sides / sizeof *both_sides);
    if (device) {
        add_all(to, device_side, sizeof device_side / sizeof *device_side);
        if (in->given->checked)
            add_all(to, checked_side, sizeof checked_side / sizeof *checked_side);
        add(to, "-w"); /* the host side has said it all */
        add_owned(in, to, ht_format("-D__AMDGCN_WAVEFRONT_SIZE=%u", in->given->wavefront));
        add_owned(in, to, ht_format("-isystem%s", in->prelude));
        add_owned(in, to, ht_format("-isystem%s/include/cuda_wrappers", in->resources));
    }
    add_headers(in, to);
    add_given(in, to);
}

/* Adds what comes ahead of a side: the prelude, and CUDA's header; `hip`: HIP's header, too. */
static void add_ahead(builder *in, bool device, bool hip, words *to) {
    if (device) {
        add(to, "-include");
        add_owned(in, to, ht_format("%s/ht_emulate.h", in->prelude));
    }
    if (is_cuda(in->file) || hip) {
        add(to, "-include");
        add(to, is_cuda(in->file) ? "cuda_runtime.h" : "hip/hip_runtime.h");
    }
}

/* Returns true if what clang has parsed of HIP's header may stand for it in the file. */
static bool may_be_parsed(const builder *in) {
    const ht_emulate_build *given = in->given;
    const char *text = in->file;
    for (size_t i = 0; i < given->file_count; ++i)
        if (given->files[i] == in->file) {
            const ht_emulate_options *own = given->own_options ? &given->own_options[i] : NULL;
            if (own && !ht_options_are_plain(own->items, own->count))
                return false;
            text = given->texts ? given->texts[i] : text;
        }
    return in->kept && ht_options_are_plain(given->options, given->option_count) &&
           (is_cuda(in->file) || ht_begins_with_hip(text, given->texts == NULL));
}

/* Returns the path of what clang has parsed, borrowed; NULL: the file is to be read as text. */
static const char *parsed_of(builder *in, bool device) {
    if (!may_be_parsed(in))
        return NULL;
    words arguments = {0};
    add_side(in, device, &arguments);
    add_ahead(in, device, true, &arguments);
    const char *path = ht_parsed(in->tools, in->kept, arguments.items, arguments.count, KEPT_MOST);
    free(arguments.items);
    return path;
}

/* Compiles a side of the file with `own` arguments; `parsed`: instead of what comes ahead. */
static ht_status compile_with(builder *in, bool device, const char *parsed, const words *own,
                              const char *what, ht_error *error) {
    words arguments = {0};
    add(&arguments, in->tools->clang);
    add_side(in, device, &arguments);
    if (parsed) {
        add(&arguments, "-include-pch");
        add(&arguments, parsed);
    } else {
        add_ahead(in, device, false, &arguments);
    }
    add_all(&arguments, in->given->overlay, in->given->overlay_count);
    add_all(&arguments, own->items, own->count);
    add(&arguments, in->file);
    return run(in, &arguments, what, error);
}

/* Compiles a side. With a parsed header that clang does not take, or an error in the file, it is
 * compiled again as text: messages are those of the text. */
static ht_status compile_side(builder *in, bool device, const words *own, const char *what,
                              ht_error *error) {
    const char *parsed = parsed_of(in, device);
    size_t said = in->log->length;
    if (parsed && compile_with(in, device, parsed, own, what, NULL) == HT_OK)
        return HT_OK;
    in->log->length = said;
    if (in->log->data)
        in->log->data[said] = '\0';
    return compile_with(in, device, NULL, own, what, error);
}

static ht_status compile_host(builder *in, const char *identity, ht_error *error) {
    char *text = made(in, "host.ll"), *includes = made(in, "d");
    words own = {0};
    add_all(&own, (const char *const[]){"-Xclang", identity, "-MMD", "-MF", includes, "-o", text},
            7);
    ht_status status = compile_side(in, false, &own, "its host code does not compile", error);
    free(own.items);
    free(includes);
    free(text);
    return status;
}

static ht_status compile_device(builder *in, const char *identity, ht_error *error) {
    char *text = made(in, "device.ll");
    words own = {0};
    add_all(&own, (const char *const[]){"-Xclang", identity, "-o", text}, 4);
    ht_status status = compile_side(in, true, &own, "its device code does not compile", error);
    free(own.items);
    free(text);
    return status;
}

/* Translates IR to an object. */
static ht_status translate(builder *in, const char *from, const char *to,
                           const char *const *options, size_t count, ht_error *error) {
    char *source = made(in, from), *object = made(in, to);
    words arguments = {0};
    add(&arguments, in->tools->clang);
    add(&arguments, "-c");
    add(&arguments, "-fPIC");
    add(&arguments, "-w");
    add_all(&arguments, options, count);
    add_sanitized(in, &arguments);
    add(&arguments, "-x");
    add(&arguments, "ir");
    add(&arguments, source);
    add(&arguments, "-o");
    add(&arguments, object);
    ht_status status = run(in, &arguments, "its code cannot be translated", error);
    free(object);
    free(source);
    return status;
}

static ht_status assemble(builder *in, const char *stem, const ht_text *text, ht_error *error) {
    char *source = ht_format("%s.s", stem), *object = ht_format("%s.o", stem);
    ht_status status = ht_file_write(source, text->data, text->length, error);
    words arguments = {0};
    add(&arguments, in->tools->assembler);
    add(&arguments, source);
    add(&arguments, "-o");
    add(&arguments, object);
    if (status == HT_OK)
        status = run(in, &arguments, "its image cannot be assembled", error);
    else
        free(arguments.items);
    free(object);
    free(source);
    return status;
}

/* Makes the image of the device code's object, in FOLDER/N.image/unit.o. */
static ht_status finish_image(builder *in, const ht_build_entry *entries, size_t count,
                              ht_error *error) {
    char *folder = made(in, "image"), *path = made(in, "image.so"), *code = NULL;
    size_t size = 0;
    hiprtcResult result = ht_build_finish(folder, in->file, entries, count, in->given->checked,
                                          &code, &size, in->log);
    ht_status status = result == HT_HIPRTC_SUCCESS
                           ? ht_file_write(path, code, size, error)
                           : ht_error_set_at(error, HT_ERROR_COMPILE, in->file, 0, 0,
                                             "its device code cannot be linked");
    free(code);
    free(path);
    free(folder);
    return status;
}

/* Writes IR that was changed. Its functions are marked for AddressSanitizer here: clang would write
 * stubs in another way, and tell HIP's headers of it, which then want AMD's own. */
static ht_status ir_write(const builder *in, const char *path, const ht_text *text,
                          ht_error *error) {
    static const char line[] = "\nattributes #";
    ht_text marked = {0};
    const char *from = text->data, *at;
    if (!in->given->sanitized)
        return ht_file_write(path, text->data, text->length, error);
    while ((at = strstr(from, line)) != NULL) {
        const char *open = at + strcspn(at, "{");
        ht_text_append_n(&marked, from, (size_t)(open - from));
        ht_text_append(&marked, "{ sanitize_address");
        from = open + (*open == '{');
    }
    ht_text_append(&marked, from);
    ht_status status = ht_file_write(path, marked.data, marked.length, error);
    ht_text_free(&marked);
    return status;
}

/* From the IR of the device code to its image. */
static ht_status build_image(builder *in, const ht_stub *stubs, size_t stub_count,
                             ht_error *error) {
    static const char *const plain[] = {"-O3", "-march=native", "-fno-vectorize"};
    static const char *const checked[] = {"-O1",
                                          "-march=native",
                                          "-fno-slp-vectorize",
                                          "-fno-unroll-loops",
                                          HT_BUILD_SANITIZERS,
                                          "-mllvm",
                                          "-tsan-instrument-func-entry-exit=0"};
    char *path = made(in, "device.ll"), *folder = made(in, "image"), *data = NULL;
    size_t length;
    ht_text text = {0};
    ht_build_entry *entries = NULL;
    size_t count = 0;
    ht_status status = ht_file_read(path, IR_MAX, &data, &length, error);
    if (status == HT_OK) {
        const ht_device_ir device = {data, stubs, stub_count, in->given->wavefront,
                                     in->given->checked};
        count = ht_device_ir_rewrite(&device, &text, &entries, in->log);
        status = ir_write(in, path, &text, error);
    }
    ht_text_free(&text);
    free(data);
    if (status == HT_OK)
        status = ht_dir_make(folder, error);
    if (status == HT_OK)
        status = translate(in, "device.ll", "image/unit.o", in->given->checked ? checked : plain,
                           in->given->checked ? sizeof checked / sizeof *checked
                                              : sizeof plain / sizeof *plain,
                           error);
    if (status == HT_OK)
        status = finish_image(in, entries, count, error);
    ht_device_entries_free(entries, count);
    free(folder);
    free(path);
    return status;
}

/* Puts the image under the name that host code knows it by into an object. */
static ht_status embed_image(builder *in, const char *name, ht_error *error) {
    char *path = made(in, "image.so"), *stem = made(in, "embedded");
    ht_text text = {0};
    ht_text_printf(&text,
                   ".section .hip_fatbin,\"a\",@progbits\n.balign 4096\n.globl %s\n.hidden %s\n"
                   "%s:\n.incbin \"%s\"\n.section .note.GNU-stack,\"\",@progbits\n",
                   name, name, name, path);
    ht_status status = assemble(in, stem, &text, error);
    ht_text_free(&text);
    free(stem);
    free(path);
    return status;
}

/* Reads which functions of HIP the object calls. */
static ht_status read_calls(builder *in, ht_error *error) {
    char *path = made(in, "host.o"), *data = NULL;
    size_t length;
    ht_status status = ht_file_read(path, IR_MAX, &data, &length, error);
    if (status == HT_OK)
        status = ht_thunks_add(in->thunks, data, length, error);
    free(data);
    free(path);
    return status;
}

static ht_status build_host(builder *in, char *host, ht_error *error) {
    static const char *const options[] = {"-O2"};
    char *path = made(in, "host.ll"), *image = NULL;
    ht_text text = {0};
    ht_stub *stubs;
    size_t count = ht_stubs_read(host, &stubs);
    ht_host_ir_rewrite(host, &text, &image);
    ht_status status = ir_write(in, path, &text, error);
    ht_text_free(&text);
    if (status == HT_OK)
        status = translate(in, "host.ll", "host.o", options, 1, error);
    if (status == HT_OK && image != NULL)
        status = build_image(in, stubs, count, error);
    if (status == HT_OK && image != NULL)
        status = embed_image(in, image, error);
    if (status == HT_OK)
        status = read_calls(in, error);
    ht_stubs_free(stubs, count);
    free(image);
    free(path);
    return status;
}

/* Compiles a file of plain C. */
static ht_status build_c(builder *in, ht_error *error) {
    char *object = made(in, "host.o");
    words arguments = {0};
    add(&arguments, in->tools->clang);
    add(&arguments, "-x");
    add(&arguments, "c");
    add(&arguments, "-c");
    add(&arguments, "-O2");
    add(&arguments, "-fPIC");
    add_sanitized(in, &arguments);
    for (size_t i = 0; i < in->given->option_count; ++i)
        if (strncmp(in->given->options[i], "-std=", 5) != 0)
            add(&arguments, in->given->options[i]);
    add_all(&arguments, in->given->overlay, in->given->overlay_count);
    add(&arguments, in->file);
    add(&arguments, "-o");
    add(&arguments, object);
    ht_status status = run(in, &arguments, "it does not compile", error);
    free(object);
    return status == HT_OK ? read_calls(in, error) : status;
}

static bool is_c(const char *path) {
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, ".c") == 0;
}

static ht_status build_file(builder *in, size_t number, ht_error *error) {
    char *identity = ht_format("-cuid=ht%zu", number), *path = NULL, *host = NULL;
    size_t length;
    in->stem = ht_format("%s/%zu", in->given->folder, number);
    ht_status status;
    if (is_c(in->file)) {
        status = build_c(in, error);
    } else {
        status = compile_host(in, identity, error);
        path = made(in, "host.ll");
        if (status == HT_OK)
            status = ht_file_read(path, IR_MAX, &host, &length, error);
        if (status == HT_OK && strstr(host, "@__hip_fatbin_wrapper") != NULL)
            status = compile_device(in, identity, error);
        if (status == HT_OK)
            status = build_host(in, host, error);
    }
    free(host);
    free(path);
    free(identity);
    free(in->stem);
    in->stem = NULL;
    return status;
}

/* Joins the objects. Symbols that stay undefined are this program's, or an error when loading. */
static ht_status link_program(builder *in, ht_error *error) {
    const ht_emulate_build *given = in->given;
    char *program = ht_path_join(given->folder, HT_EMULATE_PROGRAM);
    char *thunks = ht_path_join(given->folder, "thunks"), *object = ht_format("%s.o", thunks);
    char **paths = ht_alloc(2 * given->file_count + 1, sizeof *paths);
    size_t count = 0;
    ht_text text = {0};
    ht_thunks_write(in->thunks, &text);
    ht_status status = assemble(in, thunks, &text, error);
    words arguments = {0};
    add(&arguments, in->tools->clang);
    add(&arguments, "-shared");
    add(&arguments, "-Wl,-Bsymbolic");
    add(&arguments, "-o");
    add(&arguments, program);
    for (size_t i = 0; i < given->file_count; ++i) {
        paths[count++] = ht_format("%s/%zu.host.o", given->folder, i);
        char *embedded = ht_format("%s/%zu.embedded.o", given->folder, i);
        if (ht_file_exists(embedded))
            paths[count++] = embedded;
        else
            free(embedded);
    }
    add_all(&arguments, (const char *const *)paths, count);
    add(&arguments, object);
    add(&arguments, "-lm");
    add(&arguments, "-lpthread");
    in->file = given->files[0];
    if (status == HT_OK)
        status = run(in, &arguments, "the program cannot be linked", error);
    else
        free(arguments.items);
    ht_strings_free(paths, count);
    ht_text_free(&text);
    free(object);
    free(thunks);
    free(program);
    return status;
}

/* Chooses the folders of headers: those that are kept, or the build's own, which are made. */
static ht_status headers_choose(builder *in, ht_error *error) {
    ht_status status = ht_toolchain_resources(&in->resources, error);
    in->kept = ht_emulate_text_kept();
    const char *root = in->kept ? in->kept : in->given->folder;
    if (status == HT_OK && in->kept == NULL)
        status = ht_emulate_text_unpack(root, error);
    in->prelude = ht_path_join(root, "prelude");
    in->changed = ht_format("-isystem%s/changed", root);
    in->cuda = ht_format("-isystem%s/cuda", in->prelude);
    return status;
}

static void builder_free(builder *in) {
    ht_strings_free(in->owned, in->owned_count);
    free(in->changed);
    free(in->cuda);
    free(in->prelude);
    free(in->kept);
}

void ht_emulate_program_prepare(const ht_emulate_build *build) {
    builder in = {.given = build};
    bool good = ht_toolchain_find(&in.tools, NULL) == HT_OK && headers_choose(&in, NULL) == HT_OK;
    for (size_t i = 0; i < build->file_count && good && in.kept; ++i) {
        in.file = build->files[i];
        if (!is_c(in.file)) {
            parsed_of(&in, false);
            parsed_of(&in, true);
        }
    }
    builder_free(&in);
}

ht_status ht_emulate_program_build(const ht_emulate_build *build, ht_text *log, ht_error *error) {
    builder in = {.given = build, .log = log, .file = build->files[0]};
    ht_status status = ht_toolchain_find(&in.tools, error);
    if (status != HT_OK)
        return status;
    in.thunks = ht_thunks_new();
    status = headers_choose(&in, error);
    for (size_t i = 0; i < build->file_count && status == HT_OK; ++i) {
        in.file = build->files[i];
        status = build_file(&in, i, error);
    }
    if (status == HT_OK)
        status = link_program(&in, error);
    ht_thunks_free(in.thunks);
    builder_free(&in);
    return status;
}
