/* Contents of buffers that come from files. */
#include "base/file.h"
#include "base/memory.h"
#include "base/result.h"
#include "runtime/buffers/input_files.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static char *folder, *job;

static void write_bytes(const char *name, const void *data, size_t length) {
    char *path = ht_path_join(folder, name);
    cr_assert_eq(ht_file_write(path, data, length, NULL), HT_OK);
    free(path);
}

static void make(void) {
    static const int numbers[] = {7, -3, 12, 5};
    cr_assert_eq(ht_dir_temporary("inputs", &folder, NULL), HT_OK);
    job = ht_path_join(folder, "job");
    cr_assert_eq(ht_dir_make(job, NULL), HT_OK);
    write_bytes("k.problem.json", "{}", 2);
    write_bytes("two.bin", numbers, 2 * sizeof *numbers);
    write_bytes("four.bin", numbers, sizeof numbers);
    write_bytes("odd.bin", numbers, 3);
    char *path = ht_path_join(folder, "k.problem.json");
    ht_input_add(path);
    free(path);
}

static void clear(void) {
    ht_dir_remove(folder);
    free(folder);
    free(job);
}

TestSuite(input_files, .init = make, .fini = clear);

/* A buffer of ints that has files. */
typedef struct buffer {
    ht_arg arg;
    ht_layout_arg of;
    ht_layout layout;
} buffer;

static void buffer_make(buffer *out, size_t count, char *first, char *second) {
    *out = (buffer){.arg = {.name = "index",
                            .role = HT_ARG_IN,
                            .init = {.kind = HT_INIT_FILE,
                                     .files = {first, second},
                                     .file_count = second ? 2 : 1}}};
    out->of = (ht_layout_arg){.arg = &out->arg, .count = count};
    ht_element_parse("int", &out->of.plain);
    out->of.element = out->of.plain;
    out->layout = (ht_layout){&out->of, 1};
}

Test(input_files, the_file_of_the_buffers_size_is_taken) {
    for (size_t count = 2; count <= 4; count += 2) {
        buffer made;
        ht_error error = {0};
        const void *bytes;
        buffer_make(&made, count, "two.bin", "four.bin");
        cr_assert_eq(ht_input_files_copy(&made.layout, job, NULL, &error), HT_OK, "%s",
                     error.message);
        cr_assert_eq(ht_input_files_map(&made.of, 0, job, &bytes, &error), HT_OK, "%s",
                     error.message);
        cr_expect_eq(((const int *)bytes)[count - 1], count == 2 ? -3 : 5);
        munmap((void *)bytes, count * sizeof(int));
    }
}

/* Sizes that verification chooses have no file: random values, of which none is one that the file's
 * kernel could not meet. */
Test(input_files, another_size_gets_values_within_the_files_bounds) {
    buffer made;
    ht_error error = {0};
    const uint64_t seed = 3;
    const void *bytes;
    enum { COUNT = 500 };
    buffer_make(&made, COUNT, "four.bin", NULL);
    cr_assert_eq(ht_input_files_copy(&made.layout, job, &seed, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_input_files_map(&made.of, 0, job, &bytes, &error), HT_OK);
    const int *values = bytes;
    bool varied = false;
    for (size_t i = 0; i < COUNT; ++i) {
        cr_assert(values[i] >= -3 && values[i] <= 12, "%d", values[i]);
        varied = varied || values[i] != values[0];
    }
    cr_expect(varied);
    munmap((void *)bytes, COUNT * sizeof(int));
}

/* Bytes may be those of structures: what is longer has whole ones, in their order. */
Test(input_files, bytes_of_another_size_are_repeated) {
    buffer made;
    ht_error error = {0};
    const uint64_t seed = 3;
    const void *bytes;
    enum { COUNT = 40 };
    buffer_make(&made, COUNT, "four.bin", NULL);
    ht_element_parse("unsigned char", &made.of.plain);
    made.of.element = made.of.plain;
    cr_assert_eq(ht_input_files_copy(&made.layout, job, &seed, &error), HT_OK, "%s", error.message);
    cr_assert_eq(ht_input_files_map(&made.of, 0, job, &bytes, &error), HT_OK);
    const unsigned char *values = bytes;
    for (size_t i = 16; i < COUNT; ++i)
        cr_assert_eq(values[i], values[i - 16], "%zu", i);
    cr_expect_eq(((const int *)bytes)[3], 5);
    munmap((void *)bytes, COUNT);
}

Test(input_files, a_file_of_another_size_or_none_is_an_error) {
    static char *const cases[][2] = {{"four.bin", "has 16 bytes, and 'index' 3 elements of 4"},
                                     {"odd.bin", "has 3 bytes"},
                                     {"none.bin", "no file 'none.bin' is next to"}};
    for (size_t i = 0; i < 3; ++i) {
        buffer made;
        ht_error error = {0};
        buffer_make(&made, 3, cases[i][0], NULL);
        cr_expect_eq(ht_input_files_copy(&made.layout, job, NULL, &error), HT_ERROR_INPUT);
        cr_expect(strstr(error.message, cases[i][1]), "%s", error.message);
    }
    const uint64_t seed = 1;
    buffer made;
    buffer_make(&made, 3, "odd.bin", NULL);
    cr_expect_eq(ht_input_files_copy(&made.layout, job, &seed, NULL), HT_ERROR_INPUT);
}
