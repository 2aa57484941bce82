#include "faults_board.h"

#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char variable[] = "HT_FAULTS_BOARD";

ht_status faults_board_open(const char *folder, faults_board **out_board, ht_error *error) {
    char *path = ht_path_join(folder, "board");
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    void *map = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(faults_board)) == 0)
        map = mmap(NULL, sizeof(faults_board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    setenv(variable, path, 1);
    ht_status status = map == MAP_FAILED
                           ? ht_error_set(error, HT_ERROR_IO, "%s: cannot be mapped: %m", path)
                           : HT_OK;
    free(path);
    if (status != HT_OK)
        return status;
    *out_board = map;
    (*out_board)->live = -1;
    return HT_OK;
}

void faults_board_close(faults_board *board) {
    unsetenv(variable);
    munmap(board, sizeof *board);
}

/* Not instrumented, so that it is no access of the kernel's; a mark is set but once. */
static const char text[] =
    "#include <fcntl.h>\n"
    "#include <stdlib.h>\n"
    "#include <sys/mman.h>\n"
    "#define HT_APART __attribute__((no_sanitize(\"thread\", \"address\"), noinline))\n"
    "struct ht_board { int live; unsigned char marks[%d]; };\n"
    "HT_APART static volatile ht_board *ht_the_board() {\n"
    "    static volatile ht_board *board;\n"
    "    static ht_board none;\n"
    "    if (!board) {\n"
    "        const char *path = getenv(\"%s\");\n"
    "        int file = path ? open(path, O_RDWR) : -1;\n"
    "        none.live = -1;\n"
    "        void *map = file < 0 ? MAP_FAILED : mmap(NULL, sizeof(ht_board), PROT_READ | "
    "PROT_WRITE, MAP_SHARED, file, 0);\n"
    "        board = map == MAP_FAILED ? &none : (volatile ht_board *)map;\n"
    "    }\n"
    "    return board;\n"
    "}\n"
    "HT_APART static int ht_faulty(int number) {\n"
    "    volatile ht_board *board = ht_the_board();\n"
    "    if (!board->marks[number]) board->marks[number] = 1;\n"
    "    return board->live == number;\n"
    "}\n"
    "HT_APART static bool ht_answer(int number, bool usual, bool loose, bool tight) {\n"
    "    volatile ht_board *board = ht_the_board();\n"
    "    if (loose != usual && !board->marks[number]) board->marks[number] = 1;\n"
    "    if (tight != usual && !board->marks[number + 1]) board->marks[number + 1] = 1;\n"
    "    return board->live == number ? loose : board->live == number + 1 ? tight : usual;\n"
    "}\n"
    "template <typename A, typename B> static bool ht_less(int number, A a, B b) {\n"
    "    return ht_answer(number, a < b, a < b + 1, a + 1 < b);\n"
    "}\n"
    "template <typename A, typename B> static bool ht_at_most(int number, A a, B b) {\n"
    "    return ht_answer(number, a <= b, a <= b + 1, a + 1 <= b);\n"
    "}\n"
    "template <typename A, typename B> static bool ht_more(int number, A a, B b) {\n"
    "    return ht_answer(number, a > b, a + 1 > b, a > b + 1);\n"
    "}\n"
    "template <typename A, typename B> static bool ht_at_least(int number, A a, B b) {\n"
    "    return ht_answer(number, a >= b, a + 1 >= b, a >= b + 1);\n"
    "}\n";

char *faults_board_text(void) {
    return ht_format(text, FAULTS_MAX, variable);
}
