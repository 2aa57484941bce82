/* A compiler is identified by what it is and does, not by what it says of itself. */
#include "runtime/host/toolchain.h"

#include "base/file.h"
#include "base/fingerprint.h"
#include "base/memory.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *folder;

static void make_folder(void) {
    cr_assert_eq(ht_dir_temporary("test", &folder, NULL), HT_OK);
}

static void remove_folder(void) {
    ht_dir_remove(folder);
    free(folder);
}

TestSuite(compiler_hash, .init = make_folder, .fini = remove_folder, .timeout = 60);

static void write_file(const char *name, const char *text) {
    char *path = ht_path_join(folder, name), *parent = ht_path_folder(path);
    cr_assert_eq(ht_dir_make(parent, NULL), HT_OK);
    cr_assert_eq(ht_file_write(path, text, strlen(text), NULL), HT_OK);
    free(parent);
    free(path);
}

static void answer(int out) {
    char hash[HT_HASH_SIZE];
    const ht_toolchain *toolchain;
    bool good = ht_toolchain_find(&toolchain, NULL) == HT_OK &&
                ht_toolchain_hash(hash, NULL) == HT_OK &&
                write(out, hash, sizeof hash) == (ssize_t)sizeof hash &&
                write(out, toolchain->version, strlen(toolchain->version) + 1) > 0;
    _exit(!good);
}

/* Finds hash and version of the compiler that this script is, in a process of its own: they are
 * found once a process. */
static void ask(const char *script, char hash[HT_HASH_SIZE], char version[64]) {
    int ends[2], status = 0;
    write_file("clang.sh", script);
    char *path = ht_path_join(folder, "clang.sh");
    cr_assert_eq(chmod(path, 0700), 0);
    setenv("HIPTEMPER_CLANG", path, 1);
    free(path);
    cr_assert_eq(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0)
        answer(ends[1]);
    close(ends[1]);
    memset(version, 0, 64);
    cr_assert_eq(read(ends[0], hash, HT_HASH_SIZE), HT_HASH_SIZE);
    cr_assert_gt(read(ends[0], version, 63), 0);
    close(ends[0]);
    waitpid(child, &status, 0);
    cr_assert_eq(status, 0);
}

#define CLANG "/usr/bin/clang++-19"

Test(compiler_hash, a_wrapper_with_other_flags_is_another_compiler) {
    static const char *const scripts[] = {
        "#!/bin/sh\nexec " CLANG " \"$@\"\n",
        "#!/bin/sh\nexec " CLANG " -O1 \"$@\"\n",
        "#!/bin/sh\nexec " CLANG " \"$@\" -ffast-math\n",
        "#!/bin/sh\n# another\nexec " CLANG " \"$@\"\n",
        "#!/bin/sh\nexec " CLANG " $HT_TEST_FLAGS \"$@\"\n",
    };
    enum { COUNT = sizeof scripts / sizeof *scripts };
    char hashes[COUNT + 1][HT_HASH_SIZE], versions[COUNT + 1][64], again[HT_HASH_SIZE];
    for (size_t i = 0; i < COUNT; ++i)
        ask(scripts[i], hashes[i], versions[i]);
    setenv("HT_TEST_FLAGS", "-mno-avx2", 1); /* the same script, and another compiler */
    ask(scripts[COUNT - 1], hashes[COUNT], versions[COUNT]);
    for (size_t i = 0; i <= COUNT; ++i)
        for (size_t j = 0; j < i; ++j) {
            cr_expect_str_eq(versions[i], versions[j]);
            cr_expect_str_neq(hashes[i], hashes[j], "%zu and %zu", i, j);
        }
    cr_assert_eq(chdir("/tmp"), 0);
    ask(scripts[0], again, versions[0]);
    cr_expect_str_eq(again, hashes[0], "it does not depend on the folder");
}

Test(compiler_hash, the_resource_folder_counts) {
    char hashes[3][HT_HASH_SIZE], version[64];
    char *script = ht_format("#!/bin/sh\nexec " CLANG " -resource-dir '%s/res' \"$@\"\n", folder);
    write_file("res/include/stddef.h", "typedef unsigned long size_t;\n");
    write_file("res/include/deep/more.h", "#define MORE 1\n");
    ask(script, hashes[0], version);
    write_file("res/include/deep/more.h", "#define MORE 2\n");
    ask(script, hashes[1], version);
    write_file("res/include/deep/more.h", "#define MORE 1\n");
    ask(script, hashes[2], version);
    cr_expect_str_neq(hashes[0], hashes[1]);
    cr_expect_str_eq(hashes[0], hashes[2], "the time of a header does not count, its text does");
    free(script);
}

Test(compiler_hash, one_bit_of_a_file_counts) {
    enum { SIZE = 20 << 20 };
    char *data = ht_alloc(SIZE, 1), *path = ht_path_join(folder, "file");
    static const size_t sizes[] = {1, 4096, 1 << 20, SIZE};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        ht_text before = {0}, after = {0}, same = {0};
        cr_assert_eq(ht_file_write(path, data, sizes[i], NULL), HT_OK);
        ht_fingerprint_file(path, &before);
        ht_fingerprint_file(path, &same);
        data[sizes[i] / 3] ^= 4;
        usleep(20000); /* of large files the time counts: let the clock tick */
        cr_assert_eq(ht_file_write(path, data, sizes[i], NULL), HT_OK);
        ht_fingerprint_file(path, &after);
        cr_expect_str_eq(before.data, same.data);
        cr_expect_str_neq(before.data, after.data, "%zu bytes", sizes[i]);
        ht_text_free(&before);
        ht_text_free(&after);
        ht_text_free(&same);
    }
    free(path);
    free(data);
}
