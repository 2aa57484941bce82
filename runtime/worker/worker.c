#include "runtime/worker/worker.h"
#include "runtime/worker/worker_main.h"

#include "base/cache.h"
#include "base/file.h"
#include "base/machine_memory.h"
#include "base/memory.h"
#include "base/sanitizer.h"
#include "runtime/host/symbolizer.h"
#include "runtime/host/toolchain.h"
#include "runtime/process/guard.h"
#include "runtime/sandbox/sandbox.h"

#include <fcntl.h>
#include <omp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* Limits memory: what eats it must end as a failed allocation here, not as a swapping machine. The
 * address space is limited, with compilers that workers start; but GPU runtimes reserve address
 * space far beyond what they use, so with those only a compile worker's own data is.
 * AddressSanitizer reserves it too. */
static void limit_memory(bool emulated, bool compiles, json_int_t wanted) {
    uint64_t memory = ht_machine_memory();
    struct rlimit limit;
    int resource = emulated ? RLIMIT_AS : RLIMIT_DATA;
    if ((emulated || compiles) && !HT_ADDRESS_SANITIZED && memory != UINT64_MAX &&
        getrlimit(resource, &limit) == 0) {
        rlim_t most = (rlim_t)memory, least = (rlim_t)8 << 30;
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

/* Returns the bytes that a process which runs kernels may have resident: what can be used, or what
 * was asked for; 0: no limit is known. */
static uint64_t most_memory(uint64_t wanted) {
    uint64_t most = ht_machine_memory_usable();
    most = wanted > 0 && wanted < most ? wanted : most;
    return most == UINT64_MAX ? 0 : most;
}

/* Enters the sandbox. Compilers have all of the job's folder; what runs kernels has a folder of its
 * own inside, so that it changes no program, log or specification. */
static ht_status enter_sandbox(ht_worker *worker, const json_t *request, bool compiles,
                               ht_error *error) {
    ht_sandbox_plan plan = {.mode = ht_sandbox_chosen(),
                            .programs = compiles,
                            .devices = !worker->spec.device.emulated,
                            .writes = worker->folder,
                            .keeps = compiles ? ht_cache_objects() : NULL,
                            .reads = worker->folder,
                            .sockets = {worker->socket, -1, -1}};
    char *own = ht_path_join(worker->folder, HT_RUN_FOLDER);
    ht_status status = compiles ? HT_OK : ht_dir_make(own, error);
    if (!plan.programs && !plan.devices) {
        setenv("TMPDIR", own, 1);
        plan.writes = own;
        plan.memory = most_memory((uint64_t)json_integer_value(json_object_get(request, "memory")));
        plan.sockets[1] = ht_symbolizer_socket();
    }
    (void)omp_get_max_threads(); /* LLVM's library registers itself in a file */
    if (status == HT_OK)
        status = ht_sandbox_enter(&plan, error);
    worker->confined = plan.mode != HT_SANDBOX_OFF;
    free(own);
    return status;
}

static ht_status open_provider(ht_worker *worker, const json_t *request, const char *role,
                               ht_error *error) {
    bool compiles = role != NULL && strcmp(role, "compile") == 0;
    bool checks = role != NULL && strcmp(role, "check") == 0;
    bool emulated = worker->spec.device.emulated;
    /* A GPU's driver starts threads, which would stay outside. */
    ht_status status = emulated ? HT_OK : enter_sandbox(worker, request, compiles, error);
    if (status == HT_OK && checks)
        ht_worker_check_begin(
            worker); /* first: the compiler prints its version without sanitizer */
    if (status == HT_OK)
        status = worker->provider->open(&worker->hip, error);
    if (status == HT_OK && checks && emulated && ht_sandbox_chosen() != HT_SANDBOX_OFF)
        status = ht_symbolizer_start(error);
    return status == HT_OK && emulated ? enter_sandbox(worker, request, compiles, error) : status;
}

static ht_status start(ht_worker *worker, const json_t *request, ht_error *error) {
    ht_status status = ht_spec_read(worker->folder, &worker->spec, error);
    if (status != HT_OK)
        return status;
    const char *role = json_string_value(json_object_get(request, "role"));
    ht_sandbox_mode mode = HT_SANDBOX_AUTO;
    if (ht_sandbox_mode_parse(json_string_value(json_object_get(request, "sandbox")), &mode))
        ht_sandbox_choose(mode);
    limit_memory(worker->spec.device.emulated, role != NULL && strcmp(role, "compile") == 0,
                 json_integer_value(json_object_get(request, "memory")));
    worker->provider = ht_provider_find(worker->spec.device.provider);
    if (worker->provider == NULL)
        return ht_error_set(error, HT_ERROR_MISSING, "this program has no provider '%s'",
                            worker->spec.device.provider);
    if (worker->spec.device.emulated && *worker->spec.device.compiler)
        ht_toolchain_know(worker->spec.device.compiler);
    status = open_provider(worker, request, role, error);
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
    if (worker->forgot &&
        (strcmp(op, "measure") == 0 || strcmp(op, "check") == 0 || strcmp(op, "load") == 0))
        return ht_error_set(error, HT_ERROR_INTERNAL, "request '%s' without a reference", op);
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
    if (strcmp(op, "forget") == 0) {
        ht_worker_forget(worker);
        return HT_OK;
    }
    if (strcmp(op, "bind") == 0)
        return ht_worker_bind(worker, error);
    return ht_error_set(error, HT_ERROR_INTERNAL, "unknown request '%s'", op);
}

static bool answer(ht_worker *worker, int fd, const json_t *request) {
    ht_error error = {0};
    json_t *reply = json_object();
    ht_status status = serve(worker, request, reply, &error);
    ht_message_set_error(reply, status, &error);
    json_object_set(reply, "id", json_object_get(request, "id"));
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

/* Lifts the limit of time: a worker serves many requests, each of which has its own, whatever the
 * process that asks may take. */
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
    pid_t tuner = (pid_t)atoi(argv[3]);
    if (getppid() != tuner)
        return 0;
    lift_time_limit();
    ht_sandbox_close_from(fd + 1, -1); /* what the tuner was started with is not for kernels */
    ht_guard(fd, tuner);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    signal(SIGINT, SIG_IGN);
    ht_toolchain_killed = end_likewise;
    /* Temporary files of libraries go with the job's folder, however this process ends. */
    setenv("TMPDIR", argv[4], 1);
    /* Of one byte, not of none: that is what keeps the kernel from starting a program that takes
     * dumps from a pipe (core(5)). */
    struct rlimit no_core = {1, 1};
    setrlimit(RLIMIT_CORE, &no_core);

    ht_worker worker = {.folder = argv[4], .socket = fd};
    int code = serve_until_closed(&worker, fd);
    if (worker.runs)
        ht_worker_close_device(&worker);
    ht_spec_free(&worker.spec);
    close(fd);
    /* Handlers that kernels left to be run at the end are not run; LeakSanitizer would need
     * ptrace. */
    if (worker.confined && (worker.runs || HT_ADDRESS_SANITIZED))
        _exit(code);
    return code;
}
