#include "tests/refactor/coarsen/generate.h"

#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>

enum { NAMES_MAX = 24 };

/* Variables in scope, by number: i3, f7, a9 (array of 3), p4 (pointer into in). */
typedef struct scope {
    int integers[NAMES_MAX], floats[NAMES_MAX], arrays[NAMES_MAX], pointers[NAMES_MAX];
    int integer_count, writable, float_count, array_count,
        pointer_count; /* of integers: the first are not written */
} scope;

typedef struct generator {
    ht_random *random;
    ht_text *out;
    int next;
} generator;

static int below(generator *g, int bound) {
    return (int)ht_random_below(g->random, (uint64_t)bound);
}

static void line(generator *g, int depth) {
    ht_text_printf(g->out, "\n%*s", 4 * depth, "");
}

static void put(generator *g, const char *text) {
    ht_text_append(g->out, text);
}

static void condition(generator *g, const scope *s, int depth);

static void name_integer(generator *g, const scope *s) {
    if (s->integer_count && below(g, 2))
        ht_text_printf(g->out, "i%d", s->integers[below(g, s->integer_count)]);
    else
        put(g, (const char *const[]){"x", "y", "W", "2"}[below(g, 4)]);
}

static void integer(generator *g, const scope *s, int depth) {
    int pick = depth > 2 ? 0 : below(g, 9);
    if (pick < 4) {
        name_integer(g, s);
        return;
    }
    put(g, (const char *const[]){"(", "(", "TWICE(", "min(2 * ", "("}[pick - 4]);
    integer(g, s, depth + 1);
    if (pick == 8) {
        put(g, " > 3 ? ");
        integer(g, s, depth + 1);
        put(g, " : ");
    } else
        put(g, (const char *const[]){" + ", " - ", ") + (", ", "}[pick - 4]);
    integer(g, s, depth + 1);
    put(g, ")");
}

static void place(generator *g, const scope *s) {
    static const char *const near[] = {"y * W + x", "y * W + x + 1", "x + 3", "y * W + x + 2"};
    if (below(g, 3)) {
        put(g, near[below(g, 4)]);
        return;
    }
    put(g, "(unsigned)(");
    integer(g, s, 1);
    put(g, ") % 3000u");
}

static void real(generator *g, const scope *s, int depth) {
    int pick = depth > 2 ? below(g, 3) : below(g, 9);
    if (pick < 3) {
        put(g, "in[");
        place(g, s);
        put(g, "]");
    } else if (pick == 3) {
        put(g, "w[(unsigned)(");
        integer(g, s, 1);
        put(g, ") % 50u]");
    } else if (pick == 4 && s->pointer_count) {
        ht_text_printf(g->out, below(g, 2) ? "p%d[2]" : "*p%d",
                       s->pointers[below(g, s->pointer_count)]);
    } else if (pick == 5 && s->array_count) {
        ht_text_printf(g->out, "a%d[(unsigned)(", s->arrays[below(g, s->array_count)]);
        integer(g, s, 2);
        put(g, ") % 3u]");
    } else if (pick == 6) {
        put(g, "AT(1)");
    } else if (pick == 7) {
        put(g, "(float)");
        integer(g, s, 1);
    } else {
        ht_text_printf(g->out, "(f%d %c ", s->floats[below(g, s->float_count)], "+-*"[below(g, 3)]);
        real(g, s, depth + 1);
        put(g, ")");
    }
}

static void condition(generator *g, const scope *s, int depth) {
    static const char *const compare[] = {" < ", " <= ", " > ", " >= ", " == ", " != "};
    int pick = below(g, depth ? 4 : 6);
    if (pick >= 4) {
        put(g, "(");
        condition(g, s, depth + 1);
        put(g, pick == 4 ? " && " : " || ");
        condition(g, s, depth + 1);
        put(g, ")");
    } else if (pick == 3) {
        ht_text_printf(g->out, "f%d > 0.25f", s->floats[below(g, s->float_count)]);
    } else if (pick == 2) {
        put(g, below(g, 2) ? "x + 1 < W" : "x - 2 >= 0");
    } else {
        integer(g, s, 1);
        put(g, compare[below(g, 6)]);
        integer(g, s, 1);
    }
}

static void block(generator *g, scope s, int depth, bool loop, int count);

static void declare(generator *g, scope *s) {
    int name = g->next++, pick = below(g, 4);
    if (pick == 0 && s->integer_count < NAMES_MAX) {
        ht_text_printf(g->out, "int i%d = ", name);
        integer(g, s, 0);
        s->integers[s->integer_count++] = name;
    } else if (pick == 1 && s->array_count < NAMES_MAX) {
        ht_text_printf(g->out, "float a%d[3] = {%s}", name, below(g, 2) ? "0" : "");
        s->arrays[s->array_count++] = name;
    } else if (pick == 2 && s->pointer_count < NAMES_MAX) {
        ht_text_printf(g->out, "const float *p%d = in + %s", name,
                       (const char *const[]){"y * W", "x", "y * W + x", "W"}[below(g, 4)]);
        s->pointers[s->pointer_count++] = name;
    } else if (s->float_count < NAMES_MAX) {
        ht_text_printf(g->out, "float f%d = ", name);
        real(g, s, 0);
        s->floats[s->float_count++] = name;
    }
    put(g, ";");
}

static void change(generator *g, const scope *s) {
    int pick = below(g, 5), writable = s->integer_count - s->writable;
    if (pick == 0 && writable > 0) {
        ht_text_printf(g->out, "i%d %s ", s->integers[s->writable + below(g, writable)],
                       below(g, 2) ? "=" : "+=");
        integer(g, s, 0);
    } else if (pick == 1 && s->array_count) {
        ht_text_printf(g->out, "a%d[(unsigned)(", s->arrays[below(g, s->array_count)]);
        integer(g, s, 1);
        put(g, ") % 3u] += ");
        real(g, s, 0);
    } else if (pick == 2 && s->pointer_count) {
        ht_text_printf(g->out, "p%d += 1", s->pointers[below(g, s->pointer_count)]);
    } else if (pick == 3) {
        ht_text_printf(g->out, "out[%d + y * W + x] = ", 5000 * below(g, 3));
        real(g, s, 0);
    } else {
        ht_text_printf(g->out, "f%d %s ", s->floats[below(g, s->float_count)],
                       below(g, 3) ? "+=" : "=");
        real(g, s, 0);
    }
    put(g, ";");
}

static void statement(generator *g, scope *s, int depth, bool loop) {
    int pick = below(g, depth > 4 ? 7 : 12);
    if (pick < 2) {
        declare(g, s);
    } else if (pick < 6) {
        change(g, s);
    } else if (pick == 6) {
        put(g, "if (");
        condition(g, s, 0);
        put(g, loop && below(g, 4) ? below(g, 3) ? ") continue;" : ") break;" : ") return;");
    } else if (pick < 10) {
        scope inner = *s;
        int name = g->next++;
        ht_text_printf(g->out, "for (int i%d = 0; i%d < %s; ++i%d) {", name, name,
                       (const char *const[]){"3", "2", "y % 3 + 1", "x % 3"}[below(g, 4)], name);
        if (inner.integer_count < NAMES_MAX) { /* in front of those that may be written */
            inner.integers[inner.integer_count++] = inner.integers[inner.writable];
            inner.integers[inner.writable++] = name;
        }
        block(g, inner, depth + 1, true, 1 + below(g, 4));
        put(g, "}");
    } else {
        put(g, "if (");
        condition(g, s, 0);
        put(g, ") {");
        block(g, *s, depth + 1, loop, 1 + below(g, 3));
        put(g, below(g, 2) ? "} else {" : "}");
        if (g->out->data[g->out->length - 1] == '{') {
            block(g, *s, depth + 1, loop, 1 + below(g, 2));
            put(g, "}");
        }
    }
}

static void block(generator *g, scope s, int depth, bool loop, int count) {
    for (int i = 0; i < count; ++i) {
        line(g, depth);
        statement(g, &s, depth, loop);
    }
    line(g, depth - 1);
}

void generate_kernel(ht_random *random, const char *name, ht_text *out) {
    generator g = {random, out, 1};
    scope s = {.float_count = 1};
    bool wraps = below(&g, 2);
    ht_text_printf(
        out,
        "__global__ void %s(const float *in, const float *w, float *out, int W, int H) {\n"
        "    %sint x = blockIdx.x * blockDim.x + threadIdx.x;\n    const int y = blockIdx.y;\n",
        name, below(&g, 2) ? "const " : "");
    if (wraps)
        ht_text_printf(out, "    if (x < W%s) {\n        float f0 = 0.f;",
                       (const char *const[]){"", " && y < H", " && x > 0"}[below(&g, 3)]);
    else
        ht_text_printf(out, "    if (x >= W%s) return;\n    float f0 = 0.f;",
                       (const char *const[]){"", " || y >= H", " || x < 1"}[below(&g, 3)]);
    block(&g, s, wraps ? 2 : 1, false, 4 + below(&g, 6));
    ht_text_printf(out,
                   "    out[y * W + x] = f0;\n%s}\nvoid run_%s(const float *in, const float *w, "
                   "float *out, int W, "
                   "int H) {\n    hipLaunchKernelGGL(%s, dim3((W + 15) / 16, H), dim3(16), 0, 0, "
                   "in, w, out, W, "
                   "H);\n}\n",
                   wraps ? "    }\n" : "", name, name);
}

char *generate_source(uint64_t seed, int count) {
    ht_random random;
    ht_text text = {0};
    ht_random_seed(&random, seed);
    ht_text_append(&text, "#include <hip/hip_runtime.h>\n#define TWICE(v) ((v) * 2)\n"
                          "#define AT(c) in[y * W + x + (c)]\n");
    for (int i = 0; i < count; ++i) {
        char *name = ht_format("random%d", i);
        generate_kernel(&random, name, &text);
        free(name);
    }
    return ht_text_take(&text);
}

int random_kernel_count(void) {
    const char *asked = getenv("HT_TEST_KERNELS");
    return asked ? atoi(asked) : 12;
}
