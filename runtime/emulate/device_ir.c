#include "runtime/emulate/device_ir.h"

#include "base/memory.h"
#include "runtime/compile/demangle.h"
#include "runtime/emulate/capture.h"
#include "runtime/host/object.h"
#include "runtime/host/prelude/ht_state.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define ENTRY_TYPE "{ i32, i32, i32, i32, i32, ptr, ptr, ptr, i64 }"

typedef struct rewriter {
    const ht_device_ir *in;
    ht_text *out, *log;
    ht_text entries; /* their IR */
    ht_build_entry *kernels;
    size_t kernel_count, variable_count;
} rewriter;

#define BUILTIN "@llvm.amdgcn."

#define SPAN(span) (int)(span).length, (span).at

/* Appends a string constant's bytes. */
static void append_bytes(ht_text *to, const char *text) {
    for (; *text; ++text)
        if (isprint((unsigned char)*text) && *text != '"' && *text != '\\')
            ht_text_append_n(to, text, 1);
        else
            ht_text_printf(to, "\\%02X", (unsigned char)*text);
}

/* Appends a line with each `mark` replaced. */
static void append_replaced(ht_text *to, ht_ir_span line, const char *mark, const char *by) {
    for (ht_ir_span rest; (rest = ht_ir_span_after(line, mark)).length > 0; line = rest) {
        ht_text_append_n(to, line.at, (size_t)(rest.at - line.at) - strlen(mark));
        ht_text_append(to, by);
    }
    ht_text_append_n(to, line.at, line.length);
}

/* Writes the entry of a name; `run` and `address` are operands. */
static void write_entry(rewriter *in, size_t number, const char *name, size_t arguments,
                        const char *run, const char *address) {
    char *words = ht_demangle(name);
    ht_text *to = &in->entries;
    size_t length = strlen(words) + 1;
    ht_text_printf(to, "@ht_name_%zu = private unnamed_addr constant [%zu x i8] c\"", number,
                   length);
    append_bytes(to, words);
    ht_text_printf(to,
                   "\\00\"\n@\"" HT_EMULATE_ENTRY "%s\" = constant " ENTRY_TYPE
                   " { i32 %u, i32 %u, i32 0, i32 %zu, i32 %u, ptr @ht_name_%zu, ptr %s, ptr %s, "
                   "i64 0 }\n",
                   name, HT_DEVICE_ABI, in->in->wavefront, arguments, in->in->checked, number, run,
                   address);
    free(words);
}

/* Writes one operand's loading: %a<i> is the argument's address, %v<i> its value. */
static void write_load(ht_text *to, size_t number, const ht_ir_parameter *parameter,
                       const ht_stub_part *part) {
    ht_text_printf(to,
                   "  %%s%zu = getelementptr ptr, ptr %%arguments, i64 %zu\n"
                   "  %%a%zu = load ptr, ptr %%s%zu\n",
                   number, part->argument, number, number);
    if (part->address)
        return;
    if (part->indices.length > 0)
        ht_text_printf(to, "  %%p%zu = getelementptr %.*s, ptr %%a%zu, %.*s\n", number,
                       SPAN(part->element), number, SPAN(part->indices));
    else
        ht_text_printf(to, "  %%p%zu = getelementptr i8, ptr %%a%zu, i64 0\n", number, number);
    if (ht_ir_span_equal(parameter->type, (ht_ir_span){"i1", 2}))
        ht_text_printf(to,
                       "  %%w%zu = load i8, ptr %%p%zu, align 1\n"
                       "  %%v%zu = icmp ne i8 %%w%zu, 0\n",
                       number, number, number, number);
    else
        ht_text_printf(to, "  %%v%zu = load %.*s, ptr %%p%zu, align 1\n", number,
                       SPAN(parameter->type), number);
}

/* Writes what runs a kernel's threads: the arguments are loaded once, the block's threads started
 * one after another. */
static void write_runner(rewriter *in, size_t number, ht_ir_span kernel, const ht_stub *stub,
                         const ht_ir_parameter *parameters) {
    ht_text *to = &in->entries;
    ht_text_printf(to, "define internal void @ht_run_%zu(ptr %%arguments) {\n", number);
    for (size_t i = 0; i < stub->parameter_count; ++i)
        write_load(to, i, &parameters[i], &stub->parts[i]);
    ht_text_append(to, "  br label %next\nnext:\n"
                       "  %started = call i32 @ht_thread_start()\n"
                       "  %more = icmp ne i32 %started, 0\n"
                       "  br i1 %more, label %thread, label %done\nthread:\n");
    ht_text_printf(to, "  call void @%.*s(", SPAN(kernel));
    for (size_t i = 0; i < stub->parameter_count; ++i)
        ht_text_printf(to, "%s%.*s %.*s %%%c%zu", i ? ", " : "", SPAN(parameters[i].type),
                       SPAN(parameters[i].passing), stub->parts[i].address ? 'a' : 'v', i);
    ht_text_append(to, ")\n  call void @ht_thread_end()\n  br label %next\ndone:\n  ret void\n}\n");
}

/* Writes where a part of an argument ends, as a constant of LLVM's. */
static void write_end(ht_text *to, const ht_stub_part *part, const ht_ir_parameter *device,
                      ht_ir_span type) {
    ht_ir_span whole = ht_ir_span_after(device->passing, "byval(");
    const char *end = whole.length > 0 ? memchr(whole.at, ')', whole.length) : NULL;
    size_t size = ht_ir_span_equal(type, (ht_ir_span){"i1", 2}) ? 1 : ht_ir_type_size(type);
    if (part->address && end != NULL)
        ht_text_printf(to, "ptrtoint (ptr getelementptr (%.*s, ptr null, i32 1) to i16)",
                       (int)(end - whole.at), whole.at);
    else if (part->address || size == 0)
        ht_text_append(to, "0");
    else if (part->indices.length == 0)
        ht_text_printf(to, "%zu", size);
    else
        ht_text_printf(to,
                       "add (i16 ptrtoint (ptr getelementptr (%.*s, ptr null, %.*s) to i16), "
                       "i16 %zu)",
                       SPAN(part->element), SPAN(part->indices), size);
}

/* Writes the sizes of a kernel's arguments: where the last of the parameters that are its parts
 * ends. */
static void write_sizes(rewriter *in, size_t number, const ht_stub *stub,
                        const ht_ir_parameter *parameters) {
    ht_text *to = &in->entries;
    ht_text_printf(to, "@ht_sizes_%zu = private unnamed_addr constant [%zu x i16] [", number,
                   stub->argument_count);
    for (size_t argument = 0; argument < stub->argument_count; ++argument) {
        size_t last = stub->parameter_count;
        for (size_t i = 0; i < stub->parameter_count; ++i)
            if (stub->parts[i].argument == argument)
                last = i;
        ht_text_append(to, argument > 0 ? ", i16 " : "i16 ");
        if (last == stub->parameter_count)
            ht_text_append(to, "0");
        else
            write_end(to, &stub->parts[last], &parameters[last], stub->parameters[last].type);
    }
    ht_text_append(to, "]\n");
}

static const ht_stub *find_stub(const ht_device_ir *in, ht_ir_span name) {
    for (size_t i = 0; i < in->stub_count; ++i)
        if (ht_ir_span_equal(in->stubs[i].kernel, name))
            return &in->stubs[i];
    return NULL;
}

/* Returns true for types of the same bytes. HIP's __half is an integer in host code and a number in
 * device code. */
static bool same_size(ht_ir_span device, ht_ir_span host) {
    return ht_ir_span_equal(device, host) ||
           (ht_ir_type_size(device) > 0 && ht_ir_type_size(device) == ht_ir_type_size(host));
}

/* Takes a function that host code has a stub for: a kernel. */
static void take_kernel(rewriter *in, ht_ir_span define) {
    ht_ir_span name = ht_ir_global(define);
    const ht_stub *stub = find_stub(in->in, name);
    if (stub == NULL)
        return;
    ht_ir_parameter *parameters;
    size_t count = ht_ir_parameters(define, &parameters);
    bool same = stub->understood && count == stub->parameter_count;
    for (size_t i = 0; i < count && same; ++i)
        same = stub->parts[i].address || same_size(parameters[i].type, stub->parameters[i].type);
    char *symbol = ht_strndup(name.at, name.length);
    if (same) {
        size_t number = in->kernel_count + in->variable_count;
        char *run = ht_format("@ht_run_%zu", number);
        write_runner(in, number, name, stub, parameters);
        char *sizes = ht_format("@ht_sizes_%zu", number);
        write_sizes(in, number, stub, parameters);
        write_entry(in, number, symbol, stub->argument_count, run, sizes);
        free(sizes);
        free(run);
        HT_GROW(in->kernels, in->kernel_count);
        in->kernels[in->kernel_count++] =
            (ht_build_entry){ht_format(HT_EMULATE_ENTRY "%s", symbol), ht_demangle(symbol)};
    } else {
        char *words = ht_demangle(symbol);
        ht_text_printf(in->log, "%s: its arguments are passed in a way that is not understood\n",
                       words);
        free(words);
    }
    free(symbol);
    free(parameters);
}

/* Takes a variable that host code may name. */
static void take_variable(rewriter *in, ht_ir_span line) {
    ht_ir_span name = ht_ir_global(line);
    char *symbol = ht_strndup(name.at, name.length), *address = ht_format("@%s", symbol);
    write_entry(in, in->kernel_count + in->variable_count, symbol, 0, "null", address);
    ++in->variable_count;
    free(address);
    free(symbol);
}

/* Returns true for a __shared__ variable: only those have no value at all. (So have objects without
 * members, which take no harm.) */
static bool is_shared(ht_ir_span line) {
    return ht_ir_span_has(line, " global ") && ht_ir_span_has(line, " undef,");
}

static bool is_dynamic(ht_ir_span line) {
    return ht_ir_span_has(line, " = external ") && ht_ir_span_has(line, "global [0 x ");
}

/* Writes a shared array's definition: one copy an OS thread, or, for checking, plain storage in the
 * section by which it is found. */
static void write_shared(rewriter *in, ht_ir_span line, bool dynamic) {
    ht_ir_span after = ht_ir_span_after(line, "global ");
    ht_text *to = in->out;
    size_t before = (size_t)(after.at - line.at) - strlen("global ");
    if (!in->in->checked) {
        ht_text_append_n(to, line.at, before);
        ht_text_append(to, "thread_local global ");
        ht_text_append_n(to, after.at, after.length);
    } else if (dynamic) {
        ht_ir_span name = ht_ir_global(line);
        ht_text_printf(to, "@%.*s = extern_weak global %.*s", SPAN(name), SPAN(after));
    } else {
        ht_ir_span type = {after.at, ht_ir_span_after(after, " undef,").length};
        type.length = after.length - type.length - strlen(" undef,");
        ht_ir_span rest = ht_ir_span_after(after, " undef,");
        ht_text_append_n(to, line.at, before);
        ht_text_printf(to, "global %.*s zeroinitializer, section \"" HT_OBJECT_LDS "\",%.*s",
                       SPAN(type), SPAN(rest));
    }
    ht_text_append(to, "\n");
}

static void rewrite_global(rewriter *in, ht_ir_span line) {
    bool dynamic = is_dynamic(line);
    if (dynamic || is_shared(line)) {
        write_shared(in, line, dynamic);
        return;
    }
    if (ht_ir_span_begins(line, "@__hip_cuid_")) {
        append_replaced(in->out, line, " = global", " = internal global");
    } else if (ht_ir_span_has(line, " externally_initialized ")) {
        append_replaced(in->out, line, " externally_initialized constant ",
                        " externally_initialized global ");
        take_variable(in, line);
    } else {
        ht_text_append_n(in->out, line.at, line.length);
    }
    ht_text_append(in->out, "\n");
}

/* Writes a line of code. The prelude has what it calls: AMD's builtins under names that LLVM does
 * not know, and what ends a launch instead of the process. */
static void write_code(ht_text *to, ht_ir_span line) {
    static const struct {
        const char *mark, *by;
    } calls[] = {{"call void @__assert_fail(", "call void @ht_assertion("},
                 {"call void @llvm.trap()", "call void @ht_trap()"},
                 {BUILTIN, "@ht.amdgcn."}};
    size_t i = 0;
    while (i + 1 < sizeof calls / sizeof *calls && !ht_ir_span_has(line, calls[i].mark))
        ++i;
    append_replaced(to, line, calls[i].mark, calls[i].by);
    ht_text_append(to, "\n");
}

size_t ht_device_ir_rewrite(const ht_device_ir *in, ht_text *out, ht_build_entry **out_entries,
                            ht_text *log) {
    rewriter state = {.in = in, .out = out, .log = log};
    ht_ir_span line;
    for (const char *at = in->text; ht_ir_line(&at, &line);) {
        if (ht_ir_span_begins(line, "@")) {
            rewrite_global(&state, line);
            continue;
        }
        /* The prelude defines them. */
        if (ht_ir_span_begins(line, "declare ") && ht_ir_span_has(line, BUILTIN))
            continue;
        if (ht_ir_span_begins(line, "define "))
            take_kernel(&state, line);
        write_code(out, line);
    }
    ht_text_printf(out, "@" HT_BUILD_ANCHOR " = thread_local global i8 0\n%s",
                   in->checked ? "@" HT_BUILD_CHECKED " = global i8 0\n" : "");
    if (state.entries.length > 0)
        ht_text_append_n(out, state.entries.data, state.entries.length);
    ht_text_free(&state.entries);
    *out_entries = state.kernels;
    return state.kernel_count;
}

void ht_device_entries_free(ht_build_entry *entries, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        free(entries[i].symbol);
        free((char *)entries[i].words);
    }
    free(entries);
}

void ht_host_ir_rewrite(const char *host, ht_text *out, char **out_image) {
    ht_ir_span line;
    *out_image = NULL;
    while (ht_ir_line(&host, &line)) {
        ht_ir_span name = ht_ir_global(line);
        if (ht_ir_span_begins(line, "@__hip_fatbin_") &&
            ht_ir_span_has(line, " = external constant")) {
            *out_image = ht_strndup(name.at, name.length);
            ht_text_printf(out, "@%s = external hidden constant i8\n", *out_image);
        } else if (ht_ir_span_begins(line, "@__hip_gpubin_handle_")) {
            ht_text_printf(out, "@%.*s = internal global ptr null\n", SPAN(name));
        } else if (ht_ir_span_begins(line, "@__hip_cuid_")) {
            append_replaced(out, line, " = global", " = internal global");
            ht_text_append(out, "\n");
        } else {
            ht_text_append_n(out, line.at, line.length);
            ht_text_append(out, "\n");
        }
    }
}
