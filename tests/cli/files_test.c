/* The files that commands may change and may not: inputs stay, links stay links, modes and ends of
 * line are the author's, patches apply where the report says. */
#include "program.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <criterion/criterion.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(files, .init = workplace_make, .fini = workplace_remove, .timeout = 600);

static const char source[] = "#include <hip/hip_runtime.h>\n"
                             "\n"
                             "// Twice as large.   \n"
                             "__global__ void scale(const float *in, float *out, int n) {\n"
                             "    int i = blockIdx.x * blockDim.x + threadIdx.x; /* index */\n"
                             "    if (i < n)   \n"
                             "        out[i] = 2 * in[i];\n"
                             "}\n"
                             "\n"
                             "void run(const float *in, float *out, int n) {\n"
                             "    scale<<<(n + 255) / 256, 256>>>(in, out, n);\n"
                             "}\n";

static void run_expect(const char *const *words, int code, const char *said) {
    program_result result = program_run_arguments(words);
    cr_assert_eq(result.code, code, "%s: %d: %s%s", words[0], result.code, result.out, result.err);
    if (said)
        cr_assert(strstr(code ? result.err : result.out, said), "'%s' is not in: %s%s", said,
                  result.out, result.err);
    program_free(&result);
}

#define RUN(code, said, ...) run_expect((const char *const[]){__VA_ARGS__, NULL}, code, said)

static void expect(const char *name, const char *wanted) {
    char *text = workplace_read(name);
    cr_assert_not_null(text, "%s", name);
    cr_assert_str_eq(text, wanted, "%s", name);
    free(text);
}

static char *inside(const char *name) {
    return ht_path_join(workplace(), name);
}

static void symlink_make(const char *to, const char *name) {
    char *path = inside(name);
    cr_assert_eq(symlink(to, path), 0);
    free(path);
}

Test(files, a_source_is_not_overwritten_by_its_own_results) {
    workplace_write("src/big.hip", source);
    workplace_write("best.json", "{\"BLOCK_X\": 64}");
    symlink_make("src", "other");
    RUN(2, "--in-place", "apply", "BLOCK_X=64", "src/big.hip", "--out", "src");
    RUN(2, "--in-place", "apply", "BLOCK_X=64", "src/big.hip", "--out", "other");
    RUN(2, "input of this command", "apply", "BLOCK_X=64", "src/big.hip", "--out", "o",
        "--json=other/big.hip");
    RUN(2, "input of this command", "apply", "best.json", "src/big.hip", "--out", "o", "--json",
        "best.json");
    RUN(2, "input of this command", "optimize", "src/big.hip", "--out", "other");
    RUN(2, "input of this command", "refactor", "src/big.hip", "--no-verify", "--sarif",
        "src/big.hip");
    expect("src/big.hip", source);
    expect("best.json", "{\"BLOCK_X\": 64}");
}

Test(files, a_template_and_a_recording_are_not_overwritten_either) {
    static const char template[] = "#pragma tune unit\n#pragma tune kernel(one)\n"
                                   "#pragma tune param(B : 1, 2 = 1)\n#pragma tune block(B)\n"
                                   "#pragma tune grid(1)\n#pragma tune arg(a : out float[2])\n"
                                   "template <int B> __global__ void one(float *a) { a[0] = B; }\n";
    workplace_write("t.hip", template);
    RUN(2, "input of this command", "tune", "t.hip", "--out", ".", "--max-evals", "1");
    expect("t.hip", template);
    workplace_write("run.json", "text");
    symlink_make("run.json", "same.json");
    RUN(2, NULL, "convert", "run.json", "same.json");
    expect("run.json", "text");
}

/* ---- ends of line */

/* Lines end in CRLF where `crlf` says so of their number. */
static char *with_ends(const char *text, bool (*crlf)(size_t line)) {
    ht_text out = {0};
    size_t line = 0;
    ht_text_append(&out, "");
    for (; *text; ++text) {
        if (*text == '\n')
            ht_text_append(&out, crlf(line++) ? "\r" : "");
        ht_text_append_n(&out, text, 1);
    }
    return ht_text_take(&out);
}

static bool every(size_t line) {
    (void)line;
    return true;
}

/* The kernel as its author left it, its launch as somebody else did. */
static bool behind(size_t line) {
    return line >= 8;
}

static size_t lone_feeds(const char *text) {
    size_t count = 0;
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; ++at)
        count += at == text || at[-1] != '\r';
    return count;
}

/* Counts lines that end in blanks. */
static size_t blank_ends(const char *text) {
    size_t count = 0;
    for (const char *at = text; (at = strpbrk(at, "\r\n")) != NULL; ++at)
        count += at > text && (at[-1] == ' ' || at[-1] == '\t');
    return count;
}

Test(files, a_launcher_that_cannot_be_written_is_an_error) {
    workplace_write("src/big.hip", source);
    char *out = inside("out"), *launcher = inside("out/big.scale.launch.hpp");
    cr_assert_eq(mkdir(out, 0777), 0);
    cr_assert_eq(mkdir(launcher, 0777), 0);
    RUN(1, "big.scale.launch.hpp", "refactor", "src/big.hip", "--no-verify", "--out", "out");
    free(launcher);
    free(out);
}

Test(files, a_file_with_carriage_returns_keeps_them_on_every_line) {
    char *text = with_ends(source, every);
    workplace_write("crlf.hip", text);
    RUN(0, "applied", "apply", "BLOCK_X=128 COARSEN_X=4 COARSEN_X_STRIDED=true", "crlf.hip",
        "--out", "out");
    char *tuned = workplace_read("out/crlf.hip");
    cr_assert_eq(lone_feeds(tuned), 0, "%s", tuned);
    cr_assert_leq(blank_ends(tuned), blank_ends(text), "%s", tuned);
    free(tuned);
    free(text);
}

Test(files, lines_end_as_those_around_them_and_not_in_blanks) {
    char *text = with_ends(source, behind);
    workplace_write("mixed.hip", text);
    RUN(0, "applied", "apply", "COARSEN_X=4 COARSEN_X_JAM=true VECTOR_OUTPUTS=4", "mixed.hip",
        "--out", "out");
    char *tuned = workplace_read("out/mixed.hip"), *launch = strstr(tuned, "void run(");
    cr_assert_eq(lone_feeds(launch), 0, "%s", tuned);
    cr_assert_leq(blank_ends(tuned), blank_ends(text), "%s", tuned);
    cr_assert(strstr(tuned, "// Twice as large.   \n"), "the author's own stay: %s", tuned);
    *launch = 0;
    cr_assert_eq(lone_feeds(tuned) + 1, count_lines(tuned), "%s", tuned);
    free(tuned);
    free(text);
}

static const char marked[] =
    "\xEF\xBB\xBF__global__ void f(const float *a, float *b, int n) { int i = blockIdx.x * "
    "blockDim.x + threadIdx.x; if (i < n) b[i] = a[i]; }\n"
    "void r(const float *a, float *b, int n) { f<<<(n + 255) / 256, 256>>>(a, b, n); }";

Test(files, in_place_links_modes_and_byte_order_marks_stay) {
    struct stat info;
    workplace_write("real/mark.hip", marked);
    symlink_make("real/mark.hip", "link.hip");
    char *real = inside("real/mark.hip"), *link = inside("link.hip");
    cr_assert_eq(chmod(real, 0700), 0);
    RUN(0, "applied", "apply", "BLOCK_X=64", "link.hip", "--in-place", "--comment");
    cr_assert(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    cr_assert(stat(real, &info) == 0 && (info.st_mode & 07777) == 0700);
    char *text = workplace_read("real/mark.hip");
    cr_assert(strncmp(text, "\xEF\xBB\xBF// Tuned by hiptemper: ", 20) == 0, "%s", text);
    cr_assert_not(strstr(text + 3, "\xEF\xBB\xBF"));
    cr_assert(strstr(text, "<<<(n + 63) / 64, 64>>>"), "%s", text);
    RUN(0, "unchanged", "apply", "BLOCK_X=64", "link.hip", "--in-place");
    expect("real/mark.hip", text);
    free(text);
    free(link);
    free(real);
}

/* ---- patches */

static int shell(const char *folder, const char *command, const char *patch) {
    char *words = ht_format("cd '%s' && %s < '%s' > /dev/null 2>&1", folder, command, patch);
    int status = system(words); /* NOLINT(cert-env33-c): fixed commands in the test's own folder */
    free(words);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Applies the patch of `path` with both tools, each from the folder that the report names. */
static void patch_applies(const char *path, const char *real, const char *copy) {
    static const char *const tools[] = {"patch -p1", "git apply -"};
    RUN(0, NULL, "apply", "--out", "out", "--json", "report.json", "BLOCK_X=64 COARSEN_X=2", "--",
        path);
    char *report = workplace_read("report.json"), *tuned = workplace_read(copy);
    json_t *document = json_loads(report, 0, NULL);
    const json_t *row = json_array_get(json_object_get(document, "kernels"), 0);
    const char *folder = json_string_value(json_object_get(row, "patch_folder"));
    char *patch = inside(json_string_value(json_object_get(row, "patch")));
    cr_assert_not_null(folder, "%s", report);
    cr_assert_not_null(tuned, "%s: %s", copy, report);
    for (size_t i = 0; i < 2; ++i) {
        workplace_write(real, source);
        cr_assert_eq(shell(folder, tools[i], patch), 0, "%s: %s in %s", path, tools[i], folder);
        expect(real, tuned);
    }
    workplace_write(real, source);
    free(patch);
    json_decref(document);
    free(tuned);
    free(report);
}

Test(files, patches_of_awkward_names_apply_from_the_folder_that_is_named) {
    /* more of them in patch_test.c */
    /* more of them in patch_test.c */
    static const char name[] = "-quo\"te \t\\\n\xC3\xA9.hip";
    char *copy = ht_format("out/%s", name);
    workplace_write(name, source);
    patch_applies(name, name, copy);
    free(copy);
    char *above = ht_format("../%s/src/../src/up here.hip", ht_path_name(workplace()));
    workplace_write("src/up here.hip", source);
    patch_applies(above, "src/up here.hip", "out/up here.hip");
    free(above);
}

Test(files, two_sources_of_one_name_have_a_copy_each) {
    workplace_write("a/k.hip", source);
    workplace_write("b/k.hip", source);
    workplace_write("report.json",
                    "{\"kernels\": [{\"name\": \"scale\", \"file\": \"a/k.hip\", \"status\": "
                    "\"improved\", \"config\": {\"BLOCK_X\": 64}}, {\"name\": \"scale\", \"file\": "
                    "\"b/k.hip\", \"status\": \"improved\", \"config\": {\"BLOCK_X\": 128}}]}");
    RUN(0, "out/k-2.hip", "apply", "report.json", "--out", "out");
    char *first = workplace_read("out/k.hip"), *second = workplace_read("out/k-2.hip");
    cr_assert(strstr(first, "64>>>") && strstr(second, "128>>>"));
    free(first);
    free(second);
}

Test(files, what_does_not_fit_on_standard_output_is_not_done) {
    char *command = ht_format("cd '%s' && '%s/hiptemper' --help > /dev/full 2> err", workplace(),
                              HT_BINARY_DIR);
    int status = system(command); /* NOLINT(cert-env33-c): a fixed command */
    cr_assert_eq(WEXITSTATUS(status), 1);
    expect("err", "hiptemper: cannot write to standard output: No space left on device\n");
    free(command);
}
