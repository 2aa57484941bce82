/* The parsed prelude makes the same object as its text, and is not used where anything differs. */
#include "runtime/host/parsed_prelude.h"

#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"
#include "runtime/host/build.h"

#include <criterion/criterion.h>
#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;
static const ht_toolchain *toolchain;

/* Each test is a process of its own, so the folder is looked up after this. */
static void make_folder(void) {
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
    setenv("HIPTEMPER_CACHE", folder, 1);
    unsetenv("HIPTEMPER_OBJECTS"); /* clang is to run */
}

static void remove_folder(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(parsed_prelude, .init = make_folder, .fini = remove_folder, .timeout = 60);

static const char *const plain[] = {"-x", "c++", "-c", "-std=c++17", "-fdeclspec", "-O3"};
enum { PLAIN = sizeof plain / sizeof *plain };

/* Finds the toolchain first, for which the folder is looked up, too. */
static const char *parsed(void) {
    cr_assert_eq(ht_toolchain_find(&toolchain, NULL), HT_OK);
    return ht_parsed_prelude(toolchain, plain, PLAIN);
}

/* Compiles a unit; returns the hash of its image. */
static void compile(const char *source, const char *option, bool good,
                    char out_hash[HT_HASH_SIZE]) {
    char *expression = ht_strdup("&scale");
    const ht_build_input input = {.source = (char *)source,
                                  .name = (char *)"scale.hip",
                                  .expressions = &expression,
                                  .expression_count = 1};
    const char *options[] = {option};
    char *code = NULL;
    size_t size = 0;
    ht_text log = {0};
    hiprtcResult result = ht_build_run(&input, 1, options, &code, &size, &log);
    cr_assert_eq(result == HT_HIPRTC_SUCCESS, good, "%s", log.data ? log.data : "");
    if (good)
        ht_hash_bytes(code, size, out_hash);
    else
        ht_hash_bytes(log.data, log.length, out_hash);
    ht_text_free(&log);
    free(code);
    free(expression);
}

#define SCALE(more)                                                                                \
    "#include <hip/hip_fp16.h>\n#include <cmath>\n" more                                           \
    "__global__ void scale(float *x) { x[threadIdx.x] *= std::sqrt(x[0]) + "                       \
    "__half2float(__float2half(x[1])); }\n"

/* Compiles in a process of its own, with the folder for parsed preludes or without one. */
static void compile_apart(bool cached, const char *source, const char *option, bool good,
                          char out_hash[HT_HASH_SIZE]) {
    int ends[2];
    cr_assert_eq(pipe(ends), 0);
    pid_t pid = fork();
    cr_assert(pid >= 0);
    if (pid == 0) {
        if (!cached)
            setenv("HIPTEMPER_CACHE", "", 1);
        compile(source, option, good, out_hash);
        _exit(write(ends[1], out_hash, HT_HASH_SIZE) == HT_HASH_SIZE ? 0 : 1);
    }
    int status = -1;
    waitpid(pid, &status, 0);
    cr_assert_eq(status, 0);
    cr_assert_eq(read(ends[0], out_hash, HT_HASH_SIZE), HT_HASH_SIZE);
    close(ends[0]);
    close(ends[1]);
}

static void expect_same(const char *source, const char *option, bool good) {
    char with[HT_HASH_SIZE], without[HT_HASH_SIZE];
    compile_apart(true, source, option, good, with);
    compile_apart(false, source, option, good, without);
    cr_expect_str_eq(with, without, "%s", option);
}

Test(parsed_prelude, makes_the_image_that_the_text_makes) {
    expect_same(SCALE(""), "-mwavefrontsize64", true);
    expect_same(SCALE(""), "-O1", true);
}

Test(parsed_prelude, gives_the_messages_that_the_text_gives) {
    expect_same(SCALE("static_assert(sizeof(int) == 5, \"five\");\n"), "-mwavefrontsize64", false);
}

Test(parsed_prelude, is_made_once) {
    const char *first = parsed();
    cr_assert(first && ht_file_exists(first));
    cr_expect_eq(parsed(), first);
}

Test(parsed_prelude, is_another_for_other_arguments_and_another_compiler) {
    const char *const other[] = {"-x", "c++", "-c", "-std=c++17", "-fdeclspec", "-O2"};
    char *first = ht_strdup(parsed());
    cr_expect_str_neq(ht_parsed_prelude(toolchain, other, PLAIN), first);
    ht_toolchain newer = *toolchain;
    newer.version = "clang 99.0";
    cr_expect_str_neq(ht_parsed_prelude(&newer, plain, PLAIN), first);
    char *link = ht_path_join(folder, "clang++");
    cr_assert_eq(symlink(toolchain->clang, link), 0);
    newer = *toolchain;
    newer.clang = link;
    cr_expect_str_neq(ht_parsed_prelude(&newer, plain, PLAIN), first);
    free(link);
    free(first);
}

Test(parsed_prelude, the_oldest_makes_room) {
    char *first = ht_strdup(parsed()), *into = ht_path_folder(first);
    for (int i = 0; i < 24; ++i) { /* as if of other options */
        char *path = ht_format("%s/%d.pch", into, i);
        cr_assert_eq(ht_file_write(path, "", 0, NULL), HT_OK);
        free(path);
    }
    const char *const other[] = {"-x", "c++", "-c", "-std=c++17", "-fdeclspec", "-O2"};
    const char *made = ht_parsed_prelude(toolchain, other, PLAIN);
    cr_expect(made && ht_file_exists(made));
    cr_expect_not(ht_file_exists(first));
    free(into);
    free(first);
}

static void hash_of(const char *path, bool damaged, char out_hash[HT_HASH_SIZE]) {
    char *data;
    size_t length;
    cr_assert_eq(ht_file_read(path, 64 << 20, &data, &length, NULL), HT_OK);
    if (damaged) {
        data[length / 2] ^= 1;
        cr_assert_eq(ht_file_write(path, data, length, NULL), HT_OK);
    }
    ht_hash_bytes(data, length, out_hash);
    free(data);
}

Test(parsed_prelude, is_made_anew_when_it_is_damaged) {
    char image[HT_HASH_SIZE], whole[HT_HASH_SIZE], damaged[HT_HASH_SIZE], again[HT_HASH_SIZE];
    char unused[HT_HASH_SIZE];
    compile_apart(false, SCALE(""), "-mwavefrontsize64", true, image);
    compile_apart(true, SCALE(""), "-mwavefrontsize64", true, unused);
    glob_t found;
    char *pattern = ht_format("%s/host-*/*.pch", folder);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    cr_assert_eq(found.gl_pathc, 1);
    hash_of(found.gl_pathv[0], false, whole);
    hash_of(found.gl_pathv[0], true, damaged);
    compile_apart(true, SCALE(""), "-mwavefrontsize64", true, unused);
    cr_expect_str_eq(unused, image);
    hash_of(found.gl_pathv[0], false, again);
    cr_expect_str_eq(again, whole);
    globfree(&found);
    free(pattern);
}

Test(parsed_prelude, that_clang_refuses_is_removed_and_the_text_taken) {
    char image[HT_HASH_SIZE], unused[HT_HASH_SIZE];
    compile_apart(false, SCALE(""), "-mwavefrontsize64", true, image);
    compile_apart(true, SCALE(""), "-mwavefrontsize64", true, unused);
    glob_t found;
    char *pattern = ht_format("%s/host-*/prelude/ht_core.h", folder);
    cr_assert_eq(glob(pattern, 0, NULL, &found), 0);
    unlink(found.gl_pathv[0]); /* clang misses it */
    compile_apart(true, SCALE(""), "-mwavefrontsize64", true, unused);
    cr_expect_str_eq(unused, image);
    globfree(&found);
    free(pattern);
    pattern = ht_format("%s/host-*/*.pch", folder);
    cr_expect_eq(glob(pattern, 0, NULL, &found), GLOB_NOMATCH);
    free(pattern);
}

Test(parsed_prelude, is_done_without_where_it_cannot_be_kept) {
    setenv("HIPTEMPER_CACHE", "", 1);
    cr_expect_null(parsed());
}
