#include "runtime/host/crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIZE_MAX_CREW = 1024, SPINS = 400 };

/* One task at a time; a second thread that launches meanwhile works alone. */
static pthread_mutex_t task_lock = PTHREAD_MUTEX_INITIALIZER;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t called; /* helpers are wanted */
    pthread_cond_t left;   /* the last helper has left the task */
    pid_t owner;           /* of the helpers: a forked child has none */
    unsigned helpers;
    atomic_uint wanted; /* helpers that may still join; changed under the lock */
    atomic_uint inside; /* helpers at work; changed under the lock */
    void (*work)(void *argument);
    void *argument;
} crew = {.lock = PTHREAD_MUTEX_INITIALIZER,
          .called = PTHREAD_COND_INITIALIZER,
          .left = PTHREAD_COND_INITIALIZER};

unsigned ht_crew_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (unsigned)CPU_COUNT(&set) : 1;
}

unsigned ht_crew_size(void) {
    const char *wish = getenv("OMP_NUM_THREADS");
    long count = wish ? strtol(wish, NULL, 10) : 0;
    if (count <= 0)
        return ht_crew_cores();
    return count < SIZE_MAX_CREW ? (unsigned)count : SIZE_MAX_CREW;
}

static inline void relax(void) {
#ifdef __x86_64__
    __builtin_ia32_pause();
#else
    sched_yield();
#endif
}

/* Waking a thread takes longer than a small launch, so both sides look for a moment before they
 * sleep. */
static void spin_while_zero(atomic_uint *value) {
    for (int i = 0; i < SPINS && atomic_load_explicit(value, memory_order_relaxed) == 0; ++i)
        relax();
}

static void spin_while_not_zero(atomic_uint *value) {
    for (int i = 0; i < SPINS && atomic_load_explicit(value, memory_order_relaxed) != 0; ++i)
        relax();
}

static void *help(void *unused) {
    (void)unused;
    for (;;) {
        spin_while_zero(&crew.wanted);
        pthread_mutex_lock(&crew.lock);
        while (crew.wanted == 0)
            pthread_cond_wait(&crew.called, &crew.lock);
        --crew.wanted;
        ++crew.inside;
        void (*work)(void *) = crew.work;
        void *argument = crew.argument;
        pthread_mutex_unlock(&crew.lock);
        work(argument);
        pthread_mutex_lock(&crew.lock);
        if (--crew.inside == 0)
            pthread_cond_signal(&crew.left);
        pthread_mutex_unlock(&crew.lock);
    }
    return NULL;
}

/* As many helpers as can be had; signals are for the program's own threads. */
static void hire(unsigned count) {
    if (crew.owner != getpid()) {
        crew.owner = getpid();
        crew.helpers = 0;
        crew.inside = 0;
        pthread_mutex_init(&crew.lock, NULL); /* a helper may have held it at the fork */
        pthread_cond_init(&crew.called, NULL);
        pthread_cond_init(&crew.left, NULL);
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (crew.helpers < count) {
        pthread_t thread;
        if (pthread_create(&thread, NULL, help, NULL) != 0)
            break;
        pthread_detach(thread);
        ++crew.helpers;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void run_together(void (*work)(void *argument), void *argument, unsigned helpers) {
    hire(helpers);
    pthread_mutex_lock(&crew.lock);
    crew.work = work;
    crew.argument = argument;
    crew.wanted = helpers < crew.helpers ? helpers : crew.helpers;
    pthread_cond_broadcast(&crew.called);
    pthread_mutex_unlock(&crew.lock);
    work(argument);
    pthread_mutex_lock(&crew.lock);
    crew.wanted = 0;
    pthread_mutex_unlock(&crew.lock);
    spin_while_not_zero(&crew.inside);
    pthread_mutex_lock(&crew.lock);
    while (crew.inside != 0)
        pthread_cond_wait(&crew.left, &crew.lock);
    pthread_mutex_unlock(&crew.lock);
}

void ht_crew_run(void (*work)(void *argument), void *argument, unsigned threads) {
    if (threads <= 1 || pthread_mutex_trylock(&task_lock) != 0) {
        work(argument);
        return;
    }
    run_together(work, argument, threads - 1);
    pthread_mutex_unlock(&task_lock);
}
