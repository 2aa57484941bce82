#include "runtime/host/symbolizer.h"

#include "base/memory.h"
#include "base/process.h"
#include "runtime/host/toolchain.h"
#include "runtime/sandbox/descriptor.h"
#include "runtime/sandbox/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ANSWER_MAX = 32 << 10, IMAGE_FD = 10 };

static int to_helper = -1;

int ht_symbolizer_socket(void) {
    return to_helper;
}

static bool run_addr2line(const char *image, uintptr_t address, ht_text *out) {
    const ht_toolchain *toolchain;
    if (ht_toolchain_find(&toolchain, NULL) != HT_OK || !toolchain->symbolizer)
        return false;
    char *text = ht_format("0x%" PRIxPTR, address);
    const char *arguments[] = {toolchain->symbolizer, "-i", "-e", image, text, NULL};
    bool good = ht_toolchain_run(arguments, out) == 0;
    free(text);
    return good;
}

/* Answers questions: an address and, with it, the image. Ends when nobody asks any more. It enters
 * its sandbox at the first question, ahead of the first look at an image: most checks find nothing,
 * and ask nothing. */
static void serve(int socket, const ht_sandbox_plan *plan) {
    uintptr_t address;
    int image;
    bool inside = false;
    while (ht_descriptor_receive(socket, &address, sizeof address, &image)) {
        inside = inside || ht_sandbox_enter(plan, NULL) == HT_OK;
        if (!inside)
            return;
        ht_text text = {0};
        char *path = ht_format("/proc/self/fd/%d", IMAGE_FD);
        if (dup2(image, IMAGE_FD) < 0 || !run_addr2line(path, address, &text))
            text.length = 0;
        close(image);
        close(IMAGE_FD);
        free(path);
        size_t length = text.length < ANSWER_MAX ? text.length : ANSWER_MAX;
        (void)send(socket, length ? text.data : "?", length ? length : 1, MSG_NOSIGNAL);
        ht_text_free(&text);
    }
}

_Noreturn static void help(int socket, pid_t parent) {
    const ht_sandbox_plan plan = {.mode = ht_sandbox_chosen(), .programs = true, .alone = true};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(socket, 3);
    ht_sandbox_close_from(4, -1);
    if (getppid() == parent)
        serve(3, &plan);
    _exit(0);
}

ht_status ht_symbolizer_start(ht_error *error) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return ht_error_set(error, HT_ERROR_IO, "no socket for addr2line: %s", strerror(errno));
    pid_t parent = getpid(), pid = ht_process_fork();
    if (pid == 0)
        help(ends[1], parent);
    close(ends[1]);
    if (pid < 0) {
        close(ends[0]);
        return ht_error_set(error, HT_ERROR_IO, "no process for addr2line: %s", strerror(errno));
    }
    to_helper = ends[0];
    return HT_OK;
}

bool ht_symbolize(int image, uintptr_t address, ht_text *out) {
    if (to_helper < 0) {
        char *path = ht_format("/proc/%ld/fd/%d", (long)getpid(), image);
        bool good = run_addr2line(path, address, out);
        free(path);
        return good;
    }
    char *answer = ht_alloc(ANSWER_MAX, 1);
    ssize_t got = -1;
    if (ht_descriptor_send(to_helper, &address, sizeof address, image))
        got = recv(to_helper, answer, ANSWER_MAX, 0);
    if (got > 0)
        ht_text_append_n(out, answer, (size_t)got);
    free(answer);
    return got > 0;
}
