/* Obstacles to tuning on this machine, or of trusting its times: findings, each with what to do
 * about it. */
#ifndef HT_RUNTIME_DOCTOR_DOCTOR_H
#define HT_RUNTIME_DOCTOR_DOCTOR_H

#include "runtime/provider/provider.h"

#include <stddef.h>

typedef enum ht_level {
    HT_LEVEL_FINE,
    HT_LEVEL_WARNING, /* works, but slower, less or with more noise than it could */
    HT_LEVEL_MISSING  /* without it nothing can be tuned */
} ht_level;
const char *ht_level_name(ht_level level); /* "fine", "warning", "missing" */

typedef struct ht_finding {
    const char *group; /* static: "machine", "toolchain", "devices", "timing" */
    char *name;        /* "memory"; owned */
    ht_level level;
    char *found; /* owned */
    char *fix;   /* what to do; owned; NULL when fine */
} ht_finding;

typedef struct ht_findings {
    ht_finding *items; /* owned */
    size_t count;
} ht_findings;

/* `fix` is kept only when the level is not fine; may be NULL then. */
void ht_findings_add(ht_findings *findings, const char *group, const char *name, ht_level level,
                     const char *fix, const char *format, ...)
    __attribute__((format(printf, 6, 7)));
size_t ht_findings_at_level(const ht_findings *findings, ht_level level);
void ht_findings_free(ht_findings *findings);

/* Facts on the machine; -1 (or NULL, "") where it does not. */
typedef struct ht_machine {
    double memory, memory_free; /* bytes */
    char *temporary;            /* folder for temporary files; owned */
    bool temporary_writable, temporary_executable;
    char temporary_error[200]; /* why it is not writable */
    double temporary_free;     /* bytes */
    char *data;                /* folder of the tuning database, or its nearest parent; owned */
    bool data_writable;
    double data_free;
    double max_map_count;
    double stack_limit, address_limit, file_limit, process_limit; /* soft; INFINITY: none */
    int cores;                                                    /* this process may use */
    int threads;                                                  /* OpenMP will start */
    double quota;        /* cores' worth of time that a container allows */
    double load;         /* processes running, mean of the last minute */
    double stolen;       /* share of time that a hypervisor gave to others since the start */
    char governor[32];   /* of the first core's clock */
    double mhz;          /* its clock now */
    long long throttled; /* events since the start */
} ht_machine;

void ht_machine_read(ht_machine *out_machine);
void ht_machine_free(ht_machine *machine);
/* Judges; group "machine". */
void ht_machine_judge(const ht_machine *machine, ht_findings *findings);

/* Every provider: its devices, or why there are none. Missing when nothing can run. Copies the
 * devices that can run, one a provider, into *out_devices (free()). */
void ht_doctor_devices(ht_findings *findings, ht_device **out_devices, size_t *out_count);

/* Tunes nothing, but does all that tuning does on one device: compiles a small kernel, starts
 * workers, checks, and times the kernel against itself for `seconds`. Group "timing". */
void ht_doctor_trial(ht_findings *findings, const ht_device *device, double seconds,
                     const volatile int *interrupted);

#endif
