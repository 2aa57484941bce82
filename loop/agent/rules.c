#include "loop/agent/rules.h"

#include "base/memory.h"
#include "base/text.h"
#include "refactor/source/lexer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Words, sorted. */
typedef struct words {
    char **items; /* owned */
    size_t count;
} words;

/* A text with its tokens, and what of it the original has. */
typedef struct reading {
    const char *text;
    ht_tokens own;
    words names;   /* that the original has */
    words lines;   /* directives that it has */
    words defined; /* macros that the text defines */
    bool annotated;
    ht_refused *out;
} reading;

/* Takes over the word. */
static void words_add(words *of, char *word) {
    HT_GROW(of->items, of->count);
    of->items[of->count++] = word;
}

static int word_compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void words_sort(words *of) {
    if (of->count)
        qsort(of->items, of->count, sizeof *of->items, word_compare);
}

static bool words_have(const words *of, const char *word) {
    return of->count && bsearch(&word, of->items, of->count, sizeof *of->items, word_compare);
}

static void words_free(words *of) {
    ht_strings_free(of->items, of->count);
}

static int line_at(const char *text, size_t offset) {
    int line = 1;
    for (size_t i = 0; i < offset; ++i)
        line += text[i] == '\n';
    return line;
}

/* Returns a directive with single blanks, without comments; free(). */
static char *directive_text(const char *text, const ht_token *token) {
    ht_tokens parts;
    ht_text out = {0};
    ht_tokens_read(text, (ht_range){token->begin, token->end}, false, &parts);
    for (size_t i = 0; i < parts.count; ++i)
        if (!ht_tokens_is(&parts, i, "\\"))
            ht_text_printf(&out, "%s%.*s", out.length ? " " : "",
                           (int)(parts.items[i].end - parts.items[i].begin),
                           text + parts.items[i].begin);
    ht_tokens_free(&parts);
    return ht_text_take(&out);
}

/* Reads the names of a text, those in its directives too. */
static void names_read(const char *text, words *out) {
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, false, &tokens);
    for (size_t i = 0; i < tokens.count; ++i)
        if (tokens.items[i].kind == HT_TOKEN_NAME)
            words_add(out, ht_tokens_text(&tokens, i));
    ht_tokens_free(&tokens);
    words_sort(out);
}

/* Reads the directives of a text, and the names of the macros that it defines. */
static void lines_read(const char *text, words *out_lines, words *out_defined) {
    static const char define[] = "# define ";
    ht_tokens tokens;
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &tokens);
    for (size_t i = 0; i < tokens.count; ++i) {
        if (tokens.items[i].kind != HT_TOKEN_DIRECTIVE)
            continue;
        char *line = directive_text(text, &tokens.items[i]);
        const char *name = line + sizeof define - 1;
        if (ht_text_begins(line, define))
            words_add(out_defined, ht_strndup(name, strcspn(name, " ")));
        words_add(out_lines, line);
    }
    ht_tokens_free(&tokens);
    words_sort(out_lines);
    words_sort(out_defined);
}

static void reading_close(reading *in) {
    ht_tokens_free(&in->own);
    words_free(&in->names);
    words_free(&in->lines);
    words_free(&in->defined);
}

/* ---- directives ---- */

static const char *const headers[] = {"<hip/hip_runtime.h>",
                                      "<hip/hip_fp16.h>",
                                      "<hip/hip_bf16.h>",
                                      "<hip/hip_bfloat16.h>",
                                      "<cstdint>",
                                      "<stdint.h>",
                                      "<cstddef>",
                                      "<cmath>",
                                      "<math.h>",
                                      "<cfloat>",
                                      "<climits>",
                                      "<limits>",
                                      "<type_traits>",
                                      "<algorithm>",
                                      NULL};

static void include_judge(reading *in, const char *line, int at) {
    ht_text name = {0};
    for (const char *c = line + strlen("# include"); *c; ++c)
        if (*c != ' ')
            ht_text_append_n(&name, c, 1);
    if (!name.data || !ht_text_is_one(name.data, headers))
        ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, at,
                  "it includes %s, which the original does not: only headers of HIP and of numbers "
                  "may be added",
                  name.data ? name.data : "nothing");
    ht_text_free(&name);
}

static void define_judge(reading *in, const char *line, int at) {
    ht_tokens parts;
    ht_tokens_read(line, (ht_range){0, strlen(line)}, false, &parts);
    char *name = parts.count > 2 ? ht_tokens_text(&parts, 2) : ht_strdup("");
    if (strstr(line, "# #") || strstr(line, "##"))
        ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, at,
                  "its macro '%s' makes names of parts: write the names out", name);
    else if (name[0] == '_' || ht_text_begins(name, "HIPTEMPER") || ht_text_begins(name, "ht_") ||
             words_have(&in->names, name))
        ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, at,
                  "it defines the macro '%s', a name that means something else: give it a name of "
                  "its own",
                  name);
    free(name);
    ht_tokens_free(&parts);
}

/* Code that is left out of some builds is never run there, and others would run it. */
static void condition_judge(reading *in, const char *line, int at) {
    ht_tokens parts;
    ht_tokens_read(line, (ht_range){0, strlen(line)}, false, &parts);
    for (size_t i = 2; i < parts.count; ++i) {
        char *name = parts.items[i].kind == HT_TOKEN_NAME ? ht_tokens_text(&parts, i) : NULL;
        if (name && strcmp(name, "defined") != 0 && !words_have(&in->defined, name))
            ht_refuse(in->out, HT_REFUSAL_BUILD, at,
                      "it depends on the build by '%s': the same code must run everywhere", name);
        free(name);
    }
    ht_tokens_free(&parts);
}

static void pragma_judge(reading *in, const char *line, int at) {
    static const char *const harmless[] = {"# pragma unroll", "# pragma nounroll", "# pragma once",
                                           "# pragma clang loop", NULL};
    if (ht_text_begins(line, "# pragma tune") && in->annotated)
        return;
    if (ht_text_begins(line, "# pragma tune"))
        ht_refuse(in->out, HT_REFUSAL_TOLERANCE, at,
                  "it has annotations, which say how it is compared: leave them out, or answer "
                  "with a template");
    else if (!ht_text_starts(line, harmless))
        ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, at,
                  "'%.60s' changes how it is compiled: leave it out", line);
}

static void directive_judge(reading *in, const ht_token *token) {
    static const char *const conditions[] = {"# if", "# elif", NULL};
    static const char *const free_ones[] = {"# else", "# endif", NULL};
    char *line = directive_text(in->text, token);
    int at = line_at(in->text, token->begin);
    if (strcmp(line, "#") == 0 || words_have(&in->lines, line) || ht_text_starts(line, free_ones)) {
        /* as in the original */
    } else if (ht_text_begins(line, "# include ")) {
        include_judge(in, line, at);
    } else if (ht_text_begins(line, "# define ") || ht_text_begins(line, "# undef ")) {
        define_judge(in, line, at);
    } else if (ht_text_starts(line, conditions)) {
        condition_judge(in, line, at);
    } else if (ht_text_begins(line, "# pragma ")) {
        pragma_judge(in, line, at);
    } else {
        ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, at, "'%.60s' is not needed in a kernel", line);
    }
    free(line);
}

/* Beginnings of hiptemper's own names. */
static const char *const own_fronts[] = {"ht_", "HT_", "__ht", "HIPTEMPER", "hiptemper", NULL};

/* Names of what the kernel is compared with, which would not compile. */
static void own_name_judge(reading *in, size_t index) {
    char *name = ht_tokens_text(&in->own, index);
    if (!words_have(&in->names, name) &&
        (ht_text_starts(name, own_fronts) || ht_text_ends(name, "__original")))
        ht_refuse(in->out, HT_REFUSAL_REFERENCE, line_at(in->text, in->own.items[index].begin),
                  "it names '%s', which is hiptemper's own: a kernel has no use for it", name);
    free(name);
}

/* Spellings that hide a name or a directive from whoever reads tokens. */
static void spelling_judge(reading *in) {
    for (size_t i = 0; i < in->own.count; ++i) {
        size_t begin = in->own.items[i].begin;
        const char *at = in->text + begin;
        bool digraph = at[0] == '%' && (at[1] == ':' || at[1] == '>');
        if (in->own.items[i].kind == HT_TOKEN_PUNCT && (at[0] == '\\' || digraph))
            ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, line_at(in->text, begin),
                      "'%.2s' hides what the line says: write it out", at);
        if (in->own.items[i].kind != HT_TOKEN_NAME)
            continue;
        own_name_judge(in, i);
        if (ht_tokens_is(&in->own, i, "_Pragma") && !words_have(&in->names, "_Pragma"))
            ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, line_at(in->text, begin),
                      "_Pragma changes how it is compiled: use #pragma unroll");
    }
}

void ht_rules_file(const char *text, const char *original, bool annotated, ht_refused *out) {
    reading in = {.text = text, .annotated = annotated, .out = out};
    words own_lines = {0}, unused = {0};
    ht_tokens_read(text, (ht_range){0, strlen(text)}, true, &in.own);
    names_read(original, &in.names);
    lines_read(original, &in.lines, &unused);
    lines_read(text, &own_lines, &in.defined);
    for (size_t i = 0; i < in.own.count && out->kind == HT_REFUSAL_NONE; ++i)
        if (in.own.items[i].kind == HT_TOKEN_DIRECTIVE)
            directive_judge(&in, &in.own.items[i]);
    spelling_judge(&in);
    words_free(&own_lines);
    words_free(&unused);
    reading_close(&in);
}

/* ---- names ---- */

typedef struct rule {
    ht_refusal kind;
    const char *reason; /* after "it names 'x': " */
    const char *const *names;
    const char *const *fronts; /* beginnings of names; NULL: none */
} rule;

static const char *const clocks[] = {"clock",
                                     "clock64",
                                     "wall_clock64",
                                     "__clock",
                                     "__clock64",
                                     "clock_gettime",
                                     "gettimeofday",
                                     "__rdtsc",
                                     "__builtin_readcyclecounter",
                                     "__builtin_readsteadycounter",
                                     "__builtin_ia32_rdtsc",
                                     "__builtin_ia32_rdtscp",
                                     "__nanosleep",
                                     "nanosleep",
                                     "usleep",
                                     "sleep",
                                     NULL};
static const char *const clock_fronts[] = {"__builtin_amdgcn_s_memtime",
                                           "__builtin_amdgcn_s_memrealtime",
                                           "__builtin_amdgcn_s_sleep", "chrono", NULL};
static const char *const processes[] = {"abort",
                                        "exit",
                                        "_exit",
                                        "_Exit",
                                        "quick_exit",
                                        "kill",
                                        "raise",
                                        "trap",
                                        "__trap",
                                        "fork",
                                        "vfork",
                                        "system",
                                        "syscall",
                                        "popen",
                                        "execve",
                                        "execl",
                                        "dlsym",
                                        "dlopen",
                                        "getenv",
                                        "setenv",
                                        "signal",
                                        "longjmp",
                                        "setjmp",
                                        "getpid",
                                        "getppid",
                                        "terminate",
                                        "assert",
                                        "mmap",
                                        "munmap",
                                        "mprotect",
                                        "open",
                                        "fopen",
                                        "read",
                                        "write",
                                        "printf",
                                        "puts",
                                        "ptrace",
                                        "__builtin_trap",
                                        "__builtin_debugtrap",
                                        "__builtin_abort",
                                        "__assert_fail",
                                        "__builtin_setjmp",
                                        "__builtin_longjmp",
                                        "__builtin_printf",
                                        NULL};
static const char *const process_fronts[] = {"pthread_", "prctl", NULL};
static const char *const states[] = {"thread_local", "__thread", "mutable", "const_cast",
                                     "__managed__",  "malloc",   "free",    "calloc",
                                     "realloc",      "new",      "delete",  NULL};
static const char *const instrumented[] = {"asm",           "__asm",
                                           "__asm__",       "constructor",
                                           "destructor",    "naked",
                                           "ifunc",         "alias",
                                           "weak",          "section",
                                           "vector_size",   "ext_vector_type",
                                           "address_space", "optnone",
                                           "throw",         "try",
                                           "catch",         "typeid",
                                           "dynamic_cast",  "va_arg",
                                           "annotate",      "__has_feature",
                                           "__has_include", "__has_builtin",
                                           "__FILE__",      "__LINE__",
                                           "__COUNTER__",   "__TIME__",
                                           "__DATE__",      "__builtin_alloca",
                                           "alloca",        NULL};
static const char *const instrumented_fronts[] = {
    "no_sanitize", "disable_sanitizer", "no_profile",     "__tsan",
    "__asan",      "__sanitizer",       "__builtin_ia32", NULL};

static const rule rules[] = {
    {HT_REFUSAL_CLOCK, "times are taken by hiptemper alone", clocks, clock_fronts},
    {HT_REFUSAL_PROCESS, "a kernel computes, it does not call the system", processes,
     process_fronts},
    {HT_REFUSAL_STATE, "it keeps what outlives a launch, or changes what is constant", states,
     NULL},
    {HT_REFUSAL_FORBIDDEN, "a kernel does not need it, and no run can judge it", instrumented,
     instrumented_fronts},
};

/* The compiler's own functions that are harmless. */
static const char *const builtins[] = {"__builtin_expect",
                                       "__builtin_assume",
                                       "__builtin_assume_aligned",
                                       "__builtin_unreachable",
                                       "__builtin_nontemporal_load",
                                       "__builtin_nontemporal_store",
                                       "__builtin_memcpy",
                                       "__builtin_bit_cast",
                                       "__builtin_clz",
                                       "__builtin_ctz",
                                       "__builtin_popcount",
                                       "__builtin_fmaf",
                                       "__builtin_fma",
                                       "__builtin_sqrtf",
                                       "__builtin_expf",
                                       "__builtin_huge_valf",
                                       "__builtin_inff",
                                       NULL};

static const rule *rule_find(const char *name) {
    for (size_t i = 0; i < sizeof rules / sizeof *rules; ++i)
        if ((rules[i].names && ht_text_is_one(name, rules[i].names)) ||
            (rules[i].fronts && ht_text_starts(name, rules[i].fronts)))
            return &rules[i];
    return NULL;
}

static void name_judge(const reading *in, const char *name, int at) {
    const rule *found = rule_find(name);
    if (found)
        ht_refuse(in->out, found->kind, at, "it names '%s': %s", name, found->reason);
    else if (ht_text_begins(name, "__builtin_") && !ht_text_is_one(name, builtins))
        ht_refuse(in->out, HT_REFUSAL_FORBIDDEN, at,
                  "it names '%s', a function of the compiler that not every device has", name);
}

/* Returns the line of a name in the answered text, which the unit is a part of; 0: it is not there.
 */
static int line_of(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name)) {
        bool begins = at == text || !(isalnum((unsigned char)at[-1]) || at[-1] == '_');
        if (begins && !(isalnum((unsigned char)at[length]) || at[length] == '_'))
            return line_at(text, (size_t)(at - text));
    }
    return 0;
}

void ht_rules_unit(const char *unit, const char *text, const char *original, ht_refused *out) {
    reading in = {.text = unit, .out = out};
    ht_tokens_read(unit, (ht_range){0, strlen(unit)}, false, &in.own);
    names_read(original, &in.names);
    for (size_t i = 0; i < in.own.count && out->kind == HT_REFUSAL_NONE; ++i) {
        char *name = in.own.items[i].kind == HT_TOKEN_NAME ? ht_tokens_text(&in.own, i) : NULL;
        if (name && !words_have(&in.names, name))
            name_judge(&in, name, line_of(text, name));
        free(name);
    }
    reading_close(&in);
}
