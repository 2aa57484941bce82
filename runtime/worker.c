#include "runtime/worker.h"

#include "base/memory.h"
#include "base/sanitizer.h"
#include "runtime/guard.h"
#include "runtime/host/toolchain.h"
#include "runtime/job.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What eats memory must end as a failed allocation here, not as a swapping machine. The address
 * space is limited, with compilers that workers start; but GPU runtimes reserve address space far
 * beyond what they use, so with those only a compile worker's own data is. AddressSanitizer
 * reserves it too. */
static void limit_memory(bool emulated, bool compiles, json_int_t wanted) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    int resource = emulated ? RLIMIT_AS : RLIMIT_DATA;
    if ((emulated || compiles) && !HT_ADDRESS_SANITIZED && pages > 0 && page > 0 &&
        getrlimit(resource, &limit) == 0) {
        rlim_t most = (rlim_t)pages * (rlim_t)page, least = (rlim_t)8 << 30;
        most = most > least ? most : least;
        most = wanted > 0 ? (rlim_t)wanted : most;
        limit.rlim_cur = most < limit.rlim_max ? most : limit.rlim_max;
        setrlimit(resource, &limit);
    }
    /* And if memory does run out, the kernel should take this process, not the tuner. */
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd >= 0) {
        ssize_t ignored = write(fd, "500", 3);
        (void)ignored;
        close(fd);
    }
}

static ht_status start(ht_worker *worker, const json_t *request, ht_error *error) {
    ht_status status = ht_spec_read(worker->folder, &worker->spec, error);
    if (status != HT_OK)
        return status;
    const char *role = json_string_value(json_object_get(request, "role"));
    limit_memory(worker->spec.device.emulated, role != NULL && strcmp(role, "compile") == 0,
                 json_integer_value(json_object_get(request, "memory")));
    worker->provider = ht_provider_find(worker->spec.device.provider);
    if (worker->provider == NULL)
        return ht_error_set(error, HT_ERROR_MISSING, "this program has no provider '%s'",
                            worker->spec.device.provider);
    if (role != NULL && strcmp(role, "check") == 0)
        ht_worker_check_begin(
            worker); /* first: the compiler needs no sanitizer to tell its version */
    status = worker->provider->open(&worker->hip, error);
    if (status == HT_OK && role != NULL && strcmp(role, "run") == 0)
        status = ht_worker_open_device(worker, request, error);
    return status;
}

static ht_status serve(ht_worker *worker, const json_t *request, json_t *reply, ht_error *error) {
    const char *op = json_string_value(json_object_get(request, "op"));
    if (op == NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "a request without an operation");
    if (strcmp(op, "start") == 0)
        return start(worker, request, error);
    if (worker->hip == NULL)
        return ht_error_set(error, HT_ERROR_INTERNAL, "request '%s' before 'start'", op);
    if (strcmp(op, "compile") == 0)
        return ht_worker_compile(worker, request, reply, error);
    if (!worker->runs)
        return ht_error_set(error, HT_ERROR_INTERNAL, "request '%s' to a compile worker", op);
    if (strcmp(op, "reference") == 0)
        return ht_worker_reference(worker, request, reply, error);
    if (strcmp(op, "expect") == 0)
        return ht_worker_expect(worker, request, error);
    if (strcmp(op, "measure") == 0)
        return ht_worker_measure(worker, request, reply, error);
    if (strcmp(op, "check") == 0)
        return ht_worker_check(worker, request, reply, error);
    if (strcmp(op, "load") == 0)
        return ht_worker_load(worker, request, reply, error);
    if (strcmp(op, "sample") == 0)
        return ht_worker_sample(worker, request, reply, error);
    if (strcmp(op, "unload") == 0) {
        ht_worker_unload(worker);
        return HT_OK;
    }
    return ht_error_set(error, HT_ERROR_INTERNAL, "unknown request '%s'", op);
}

static bool answer(ht_worker *worker, int fd, const json_t *request) {
    ht_error error = {0};
    json_t *reply = json_object();
    ht_status status = serve(worker, request, reply, &error);
    ht_message_set_error(reply, status, &error);
    bool sent = ht_message_send(fd, reply);
    json_decref(reply);
    return sent;
}

static int serve_until_closed(ht_worker *worker, int fd) {
    ht_inbox inbox = {0};
    int code = 0;
    for (;;) {
        bool bad = false;
        json_t *request = ht_inbox_take(&inbox, &bad);
        if (request == NULL) {
            if (!bad && ht_inbox_read(&inbox, fd))
                continue;
            code = bad ? 1 : 0;
            break;
        }
        bool sent = answer(worker, fd, request);
        json_decref(request);
        if (!sent)
            break;
    }
    ht_inbox_free(&inbox);
    return code;
}

/* A worker serves many requests, each of which has its limit: what the process that asks may take
 * says nothing of it. */
static void lift_time_limit(void) {
    struct rlimit time;
    if (getrlimit(RLIMIT_CPU, &time) != 0)
        return;
    time.rlim_cur = time.rlim_max;
    setrlimit(RLIMIT_CPU, &time);
}

static void end_likewise(int with) {
    signal(with, SIG_DFL);
    raise(with);
}

int ht_worker_main(int argc, char **argv) {
    if (argc < 5) {
        fprintf(stderr, "hiptemper: --worker is for the program's own use\n");
        return 2;
    }
    int fd = atoi(argv[2]);
    /* No worker outlives its tuner. If that died before, the parent is another one by now. */
    if (getppid() != (pid_t)atoi(argv[3]))
        return 0;
    lift_time_limit();
    ht_guard(fd);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    signal(SIGINT, SIG_IGN);
    ht_toolchain_killed = end_likewise;
    /* What libraries put into temporary files goes when the job's folder goes, however this process
     * ends. */
    setenv("TMPDIR", argv[4], 1);
    struct rlimit no_core = {0, 0};
    setrlimit(RLIMIT_CORE, &no_core);

    ht_worker worker = {.folder = argv[4]};
    int code = serve_until_closed(&worker, fd);
    if (worker.runs)
        ht_worker_close_device(&worker);
    ht_spec_free(&worker.spec);
    close(fd);
    return code;
}
