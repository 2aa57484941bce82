/* A kept object is taken, without a compiler or linker, where nothing that clang reads has changed,
 * and only there. */
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runtime/host/build.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *folder, *calls, *links;

static char *within(const char *name) {
    return ht_path_join(folder, name);
}

static void write_file(const char *name, const char *text) {
    char *path = within(name);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    free(path);
}

/* Puts a linker in front of the one that would be found, which notes its calls. */
static void make_linker(void) {
    links = within("links");
    write_file("links", "");
    const char *path = getenv("PATH");
    char *all = ht_format("%s:%s", folder, path), *linker = within("ld");
    char *script = ht_format("#!/bin/sh\necho >>'%s'\nPATH='%s' exec ld \"$@\"\n", links, path);
    write_file("ld", script);
    cr_assert_eq(chmod(linker, 0700), 0);
    setenv("PATH", all, 1);
    free(script);
    free(linker);
    free(all);
}

/* Puts a compiler in front of clang that notes its calls. Each test is a process of its own. */
static void make_folder(void) {
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    make_linker();
    calls = within("calls");
    write_file("calls", "");
    char *script = ht_format(
        "#!/bin/sh\ncase \" $* \" in *' -c '*) echo >>'%s';; esac\nexec clang++-19 \"$@\"\n",
        calls);
    write_file("clang", script);
    char *clang = within("clang"), *objects = within("objects");
    cr_assert_eq(chmod(clang, 0700), 0);
    setenv("HIPTEMPER_CLANG", clang, 1);
    setenv("HIPTEMPER_OBJECTS", objects, 1);
    setenv("HIPTEMPER_CACHE", "", 1);
    free(objects);
    free(clang);
    free(script);
}

static void remove_folder(void) {
    ht_dir_remove(folder);
    free(links);
    free(calls);
    free(folder);
}

TestSuite(kept_object, .init = make_folder, .fini = remove_folder, .timeout = 60);

/* Returns how many calls were noted there since the last time. */
static size_t take_calls(const char *path, const char *name) {
    char *text;
    size_t length;
    cr_assert_eq(ht_file_read(path, 1 << 20, &text, &length, NULL), HT_OK);
    free(text);
    write_file(name, "");
    return length;
}

static size_t compiler_calls(void) {
    return take_calls(calls, "calls");
}

static size_t linker_calls(void) {
    return take_calls(links, "links");
}

#define SCALE "__global__ void scale(float *x) { x[threadIdx.x] *= FACTOR; }\n"

/* A unit to compile. */
typedef struct unit {
    const char *source, *header, *option;
} unit;

/* Compiles it; returns the hash of its image, and what was said in *out_log if asked for. */
static void compile(const unit *unit, char out_hash[HT_HASH_SIZE], char **out_log) {
    char *expression = ht_strdup("&scale"), *include = ht_format("-I%s", folder), *code = NULL;
    ht_build_header header = {(char *)"own.h", (char *)unit->header};
    const ht_build_input input = {.source = (char *)unit->source,
                                  .name = (char *)"scale.hip",
                                  .headers = &header,
                                  .header_count = 1,
                                  .expressions = &expression,
                                  .expression_count = 1};
    const char *options[] = {include, unit->option};
    size_t size = 0;
    ht_text log = {0};
    hiprtcResult result = ht_build_run(&input, 2, options, &code, &size, &log);
    cr_assert_eq(result, HT_HIPRTC_SUCCESS, "%s", log.data ? log.data : "");
    ht_hash_bytes(code, size, out_hash);
    if (out_log)
        *out_log = ht_strdup(log.data ? log.data : "");
    ht_text_free(&log);
    free(code);
    free(include);
    free(expression);
}

static const unit plain = {"#include \"own.h\"\n" SCALE, "#define FACTOR 2\n", "-w"};

static void expect_kept(const char *option, size_t runs) {
    char first[HT_HASH_SIZE], second[HT_HASH_SIZE];
    const unit unit = {plain.source, plain.header, option};
    compile(&unit, first, NULL);
    cr_expect_eq(compiler_calls(), runs, "%s", option);
    cr_expect_eq(linker_calls(), 1, "%s", option);
    compile(&unit, second, NULL);
    cr_expect_eq(compiler_calls(), 0, "%s", option);
    cr_expect_eq(linker_calls(), 0, "%s", option);
    cr_expect_str_eq(first, second, "%s", option);
}

Test(kept_object, is_taken_instead_of_a_compile) {
    expect_kept("-w", 1);
    expect_kept("--check", 2);
}

Test(kept_object, is_another_for_another_text_header_or_option) {
    static const unit others[] = {
        {"#include \"own.h\"\n\n" SCALE, "#define FACTOR 2\n", "-w"},
        {"#include \"own.h\"\n" SCALE, "#define FACTOR 3\n", "-w"},
        {"#include \"own.h\"\n" SCALE, "#define FACTOR 2\n", "-O1"},
        {"#include \"own.h\"\n" SCALE, "#define FACTOR 2\n", "-DOTHER"},
    };
    char unused[HT_HASH_SIZE];
    compile(&plain, unused, NULL);
    compiler_calls();
    for (size_t i = 0; i < sizeof others / sizeof *others; ++i) {
        compile(&others[i], unused, NULL);
        cr_expect_eq(compiler_calls(), 1, "%zu", i);
    }
}

Test(kept_object, is_made_anew_when_a_file_that_it_includes_changes) {
    static const unit outside = {"#include \"factor of x.h\"\n" SCALE, "", "-w"};
    char two[HT_HASH_SIZE], three[HT_HASH_SIZE], again[HT_HASH_SIZE];
    write_file("factor of x.h", "#define FACTOR 2\n");
    compile(&outside, two, NULL);
    write_file("factor of x.h", "#define FACTOR 3\n");
    compile(&outside, three, NULL);
    cr_expect_eq(compiler_calls(), 2);
    cr_expect_str_neq(two, three);
    compile(&outside, again, NULL);
    cr_expect_eq(compiler_calls(), 0);
    cr_expect_str_eq(again, three);
}

Test(kept_object, says_what_the_compiler_said) {
    static const unit warned = {"#warning of \"scale\"\n#define FACTOR 2\n" SCALE, "", "-Wall"};
    char unused[HT_HASH_SIZE], *first, *second;
    compile(&warned, unused, &first);
    compile(&warned, unused, &second);
    cr_expect_eq(compiler_calls(), 1);
    cr_expect(strstr(first, "of \"scale\""), "%s", first);
    cr_expect_str_eq(first, second);
    free(second);
    free(first);
}

Test(kept_object, is_made_anew_when_it_is_damaged) {
    char first[HT_HASH_SIZE], second[HT_HASH_SIZE], *data, *pattern = within("objects/*");
    size_t length;
    glob_t found;
    compile(&plain, first, NULL);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    cr_assert_eq(found.gl_pathc, 1);
    cr_assert_eq(ht_file_read(found.gl_pathv[0], 1 << 20, &data, &length, NULL), HT_OK);
    for (size_t part = 0; part < 4; ++part) {
        size_t at = part * (length - 1) / 3;
        data[at] ^= 1;
        cr_assert_eq(ht_file_write(found.gl_pathv[0], data, length, NULL), HT_OK);
        data[at] ^= 1;
        compiler_calls();
        compile(&plain, second, NULL);
        cr_expect_eq(compiler_calls(), 1, "byte %zu", at);
        cr_expect_str_eq(second, first);
    }
    cr_assert_eq(ht_file_write(found.gl_pathv[0], data, 10, NULL), HT_OK);
    compile(&plain, second, NULL);
    cr_expect_eq(compiler_calls(), 1, "ten bytes");
    free(data);
    globfree(&found);
    free(pattern);
}

Test(kept_object, is_not_kept_without_a_folder) {
    char unused[HT_HASH_SIZE];
    unsetenv("HIPTEMPER_OBJECTS");
    compile(&plain, unused, NULL);
    compile(&plain, unused, NULL);
    cr_expect_eq(compiler_calls(), 2);
}
