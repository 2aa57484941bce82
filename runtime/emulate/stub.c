#include "runtime/emulate/stub.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef enum kind { UNKNOWN, PARAMETER, PLACE, ELEMENT, WIDENED, SLOT } kind;

/* A numbered value of the stub. */
typedef struct value {
    kind kind;
    long of; /* PARAMETER: its index; ELEMENT, WIDENED: the value below; SLOT: its index */
    ht_ir_span element, indices;
    long alias; /* PLACE: copied whole into this one; -1 */
} value;

typedef struct reader {
    ht_stub *stub;
    value *values;
    long count;
    long slots;   /* the array of addresses; -1 */
    long *held;   /* by argument: the value whose address it has */
    long *stored; /* by parameter: the value it was stored to, -1 */
} reader;

static value *at(reader *in, long number) {
    static value nothing;
    if (number < 0)
        return &nothing;
    while (in->count <= number) {
        HT_GROW(in->values, (size_t)in->count);
        in->values[in->count++] = (value){.alias = -1};
    }
    return &in->values[number];
}

/* "%21 = getelementptr inbounds { i64, double }, ptr %9, i32 0, i32 1" */
static void read_element(reader *in, value *made, ht_ir_span text) {
    ht_ir_span rest = ht_ir_span_trim(text);
    if (ht_ir_span_begins(rest, "inbounds "))
        rest = ht_ir_span_after(rest, "inbounds ");
    ht_ir_span pointer = ht_ir_span_after(rest, ", ptr %");
    if (pointer.length == 0)
        return;
    ht_ir_span element = {rest.at, (size_t)(pointer.at - rest.at) - strlen(", ptr %")};
    ht_ir_span indices = ht_ir_span_after(pointer, ", ");
    long base = strtol(pointer.at, NULL, 10);
    if (base == in->slots && in->slots >= 0) {
        ht_ir_span number = ht_ir_span_after(indices, " ");
        *made = (value){.kind = SLOT, .of = strtol(number.at, NULL, 10), .alias = -1};
        return;
    }
    *made =
        (value){.kind = ELEMENT, .of = base, .element = element, .indices = indices, .alias = -1};
}

static void read_assignment(reader *in, ht_ir_span line) {
    long number = ht_ir_value(line);
    ht_ir_span text = ht_ir_span_after(line, " = ");
    if (number < 0 || text.length == 0)
        return;
    value *made = at(in, number);
    if (ht_ir_span_begins(text, "alloca ptr, i64 ")) {
        in->slots = number;
    } else if (ht_ir_span_begins(text, "alloca ")) {
        *made = (value){.kind = PLACE, .alias = -1};
    } else if (ht_ir_span_begins(text, "getelementptr ")) {
        read_element(in, made, ht_ir_span_after(text, "getelementptr "));
    } else if (ht_ir_span_begins(text, "zext i1 ")) {
        long from = ht_ir_value(text);
        *made = (value){.kind = WIDENED, .of = from, .alias = -1};
    }
}

/* "store i64 %3, ptr %21, align 8" */
static void read_store(reader *in, ht_ir_span line) {
    long from = ht_ir_value(line), to = ht_ir_value(ht_ir_span_after(line, ", ptr "));
    if (from < 0 || to < 0)
        return;
    value *source = at(in, from);
    if (source->kind == WIDENED) {
        from = source->of;
        source = at(in, from);
    }
    long parameter = source->kind == PARAMETER ? source->of : -1;
    value *target = at(in, to);
    if (target->kind == SLOT) {
        while ((long)in->stub->argument_count <= target->of) {
            HT_GROW(in->held, in->stub->argument_count);
            in->held[in->stub->argument_count++] = -1;
        }
        if (target->of >= 0 && in->held)
            in->held[target->of] = from;
    } else if (parameter >= 0 && (target->kind == PLACE || target->kind == ELEMENT)) {
        in->stored[parameter] = to;
    }
}

/* "call void @llvm.memcpy.p0.p0.i64(ptr align 8 %9, ptr align 8 %10, i64 12, i1 false)": what was
 * stored to the second is the first's. */
static void read_copy(reader *in, ht_ir_span line) {
    long to = ht_ir_value(line), from = ht_ir_value(ht_ir_span_after(line, ", ptr "));
    if (to >= 0 && from >= 0 && at(in, from)->kind == PLACE)
        at(in, from)->alias = to;
}

/* Follows elements of elements down to the variable that holds them. One of them at most may lie
 * past the beginning, and its type must be written out, as those of parts of structures are. */
static bool read_elements(reader *in, long *place, ht_stub_part *part) {
    static const ht_ir_span beginning = {"i32 0, i32 0", 12};
    for (const value *stored; (stored = at(in, *place))->kind == ELEMENT; *place = stored->of) {
        if (ht_ir_span_equal(stored->indices, beginning))
            continue;
        if (part->indices.length > 0 || *stored->element.at == '%')
            return false;
        part->element = stored->element;
        part->indices = stored->indices;
    }
    return true;
}

/* Finds the part of an argument that a parameter is. */
static bool find_part(reader *in, size_t parameter, ht_stub_part *part) {
    ht_stub *stub = in->stub;
    long place = in->stored[parameter];
    for (size_t i = 0; in->held && i < stub->argument_count; ++i) {
        const value *held = at(in, in->held[i]);
        if (held->kind == PARAMETER && held->of == (long)parameter) {
            *part = (ht_stub_part){.argument = i, .address = true};
            return true;
        }
    }
    if (place < 0)
        return false;
    *part = (ht_stub_part){0};
    if (!read_elements(in, &place, part))
        return false;
    if (at(in, place)->alias >= 0)
        place = at(in, place)->alias;
    for (size_t i = 0; i < stub->argument_count; ++i)
        if (in->held[i] == place) {
            part->argument = i;
            return true;
        }
    return false;
}

static void read_line(reader *in, ht_ir_span line) {
    line = ht_ir_span_trim(line);
    if (ht_ir_span_begins(line, "store "))
        read_store(in, line);
    else if (ht_ir_span_begins(line, "call void @llvm.memcpy."))
        read_copy(in, line);
    else if (ht_ir_span_begins(line, "%"))
        read_assignment(in, line);
    if (ht_ir_span_has(line, "@hipLaunchKernel(") || ht_ir_span_has(line, "@hipLaunchKernel_spt("))
        in->stub->kernel = ht_ir_global(ht_ir_span_after(line, "@hipLaunchKernel"));
}

static void read_stub(const char **text, ht_ir_span define, ht_stub *stub) {
    reader in = {.stub = stub, .slots = -1};
    ht_ir_span line;
    stub->parameter_count = ht_ir_parameters(define, &stub->parameters);
    stub->parts = ht_alloc(stub->parameter_count + 1, sizeof *stub->parts);
    in.stored = ht_alloc(stub->parameter_count + 1, sizeof *in.stored);
    for (size_t i = 0; i < stub->parameter_count; ++i) {
        *at(&in, (long)i) = (value){.kind = PARAMETER, .of = (long)i, .alias = -1};
        in.stored[i] = -1;
    }
    while (ht_ir_line(text, &line) && !ht_ir_span_begins(line, "}"))
        read_line(&in, line);
    stub->understood = stub->kernel.length > 0;
    for (size_t i = 0; i < stub->parameter_count; ++i)
        stub->understood = find_part(&in, i, &stub->parts[i]) && stub->understood;
    free(in.values);
    free(in.held);
    free(in.stored);
}

size_t ht_stubs_read(const char *host, ht_stub **out_stubs) {
    ht_stub *stubs = NULL;
    size_t count = 0;
    ht_ir_span line;
    while (ht_ir_line(&host, &line)) {
        if (!ht_ir_span_begins(line, "define ") ||
            !ht_ir_span_has(ht_ir_global(line), "__device_stub__"))
            continue;
        HT_GROW(stubs, count);
        stubs[count] = (ht_stub){0};
        read_stub(&host, line, &stubs[count]);
        ++count;
    }
    *out_stubs = stubs;
    return count;
}

void ht_stubs_free(ht_stub *stubs, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        free(stubs[i].parameters);
        free(stubs[i].parts);
    }
    free(stubs);
}
