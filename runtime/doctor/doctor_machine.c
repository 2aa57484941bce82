/* The machine: memory, disks, limits, cores, clocks. */
#include "base/file.h"
#include "base/machine_memory.h"
#include "base/memory.h"
#include "base/scratch.h"
#include "runtime/doctor/doctor.h"
#include "runtime/host/clocks.h"

#include <math.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const double GIB = 1073741824.0;

/* Returns the number after `name` in a file of lines "name: number"; with NULL the file's first
 * number. -1 when there is none. */
static double number_in(const char *path, const char *name) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    char line[256];
    double value = -1;
    while (value < 0 && fgets(line, sizeof line, file) != NULL) {
        size_t length = name != NULL ? strlen(name) : 0;
        if (name != NULL && strncmp(line, name, length) != 0)
            continue;
        if (sscanf(line + length, "%lf", &value) != 1 && name == NULL)
            break;
    }
    fclose(file);
    return value;
}

static double soft_limit(int resource) {
    struct rlimit limit;
    if (getrlimit((__rlimit_resource_t)resource, &limit) != 0)
        return -1;
    return limit.rlim_cur == RLIM_INFINITY ? INFINITY : (double)limit.rlim_cur;
}

/* Reads cgroup 2 (cpu.max: "200000 100000" or "max 100000"), then cgroup 1. */
static double read_quota(void) {
    double quota = -1, period = -1;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "re");
    if (file != NULL) {
        int read = fscanf(file, "%lf %lf", &quota, &period);
        fclose(file);
        return read == 2 && period > 0 ? quota / period : -1;
    }
    quota = number_in("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", NULL);
    period = number_in("/sys/fs/cgroup/cpu/cpu.cfs_period_us", NULL);
    return quota > 0 && period > 0 ? quota / period : -1;
}

/* Reads /proc/stat: "cpu user nice system idle iowait irq softirq steal ...". */
static double read_stolen(void) {
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return -1;
    double times[8], sum = 0;
    int read = fscanf(file, "cpu %lf %lf %lf %lf %lf %lf %lf %lf", &times[0], &times[1], &times[2],
                      &times[3], &times[4], &times[5], &times[6], &times[7]);
    fclose(file);
    if (read != 8)
        return -1;
    for (int i = 0; i < 8; ++i)
        sum += times[i];
    double busy = sum - times[3] - times[4];
    return busy > 0 ? times[7] / busy : 0;
}

static void read_governor(char *out, size_t size) {
    out[0] = '\0';
    FILE *file = fopen("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "re");
    if (file == NULL)
        return;
    if (fgets(out, (int)size, file) != NULL)
        out[strcspn(out, "\n")] = '\0';
    fclose(file);
}

static void read_folder(const char *path, double *out_free, bool *out_executable) {
    struct statvfs status;
    *out_free = -1;
    if (statvfs(path, &status) != 0)
        return;
    *out_free = (double)status.f_bavail * (double)status.f_frsize;
    if (out_executable != NULL)
        *out_executable = (status.f_flag & ST_NOEXEC) == 0;
}

/* Returns the folder of the tuning database as the commands find it, or the parent that it would be
 * made in. */
static char *data_folder(void) {
    const char *own = getenv("HIPTEMPER_DB"), *data = getenv("XDG_DATA_HOME");
    const char *home = getenv("HOME");
    char *path = own != NULL && *own != '\0'    ? ht_path_folder(own)
                 : data != NULL && *data == '/' ? ht_path_join(data, "hiptemper")
                 : home != NULL && *home == '/' ? ht_path_join(home, ".local/share/hiptemper")
                                                : NULL;
    while (path != NULL && !ht_dir_exists(path)) {
        char *parent = ht_path_folder(path);
        bool stuck = strcmp(parent, path) == 0;
        free(path);
        path = parent;
        if (stuck)
            break;
    }
    return path;
}

/* Tries it: root may do more than permissions say, and a full disk takes empty folders. */
static void try_temporary(ht_machine *machine) {
    ht_scratch scratch = {0};
    ht_error error = {0};
    machine->temporary_writable = ht_scratch_make("doctor", &scratch, &error) == HT_OK &&
                                  ht_scratch_check(scratch.path, &error) == HT_OK;
    ht_scratch_remove(&scratch);
    snprintf(machine->temporary_error, sizeof machine->temporary_error, "%.*s",
             (int)strcspn(error.message, ";"), error.message);
}

void ht_machine_read(ht_machine *machine) {
    *machine = (ht_machine){0};
    uint64_t memory = ht_machine_memory(), available = ht_machine_memory_free();
    machine->memory = memory == UINT64_MAX ? -1 : (double)memory;
    machine->memory_free = available == UINT64_MAX ? -1 : (double)available;
    const char *temporary = getenv("TMPDIR");
    machine->temporary = ht_strdup(temporary != NULL && *temporary != '\0' ? temporary : "/tmp");
    machine->temporary_executable = true;
    read_folder(machine->temporary, &machine->temporary_free, &machine->temporary_executable);
    try_temporary(machine);
    machine->data = data_folder();
    if (machine->data != NULL) {
        machine->data_writable = access(machine->data, W_OK | X_OK) == 0;
        read_folder(machine->data, &machine->data_free, NULL);
    }
    machine->max_map_count = number_in("/proc/sys/vm/max_map_count", NULL);
    machine->stack_limit = soft_limit(RLIMIT_STACK);
    machine->address_limit = soft_limit(RLIMIT_AS);
    machine->file_limit = soft_limit(RLIMIT_NOFILE);
    machine->process_limit = soft_limit(RLIMIT_NPROC);
    cpu_set_t set;
    machine->cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
    machine->threads = omp_get_max_threads();
    machine->quota = read_quota();
    machine->load = number_in("/proc/loadavg", NULL);
    machine->stolen = read_stolen();
    read_governor(machine->governor, sizeof machine->governor);
    ht_clocks clocks;
    ht_host_clocks(NULL, &clocks);
    machine->mhz = clocks.mhz;
    machine->throttled = clocks.throttled;
}

void ht_machine_free(ht_machine *machine) {
    free(machine->temporary);
    free(machine->data);
    *machine = (ht_machine){0};
}

/* Prints what is free, of all if that is not negative; negative: not known. */
static const char *free_words(double bytes, double all, char *out, size_t size) {
    if (bytes < 0)
        snprintf(out, size, "what is free is not known");
    else if (all < 0)
        snprintf(out, size, "%.1f GiB free", bytes / GIB);
    else
        snprintf(out, size, "%.1f of %.1f GiB free", bytes / GIB, all / GIB);
    return out;
}

static void judge_memory(const ht_machine *m, ht_findings *findings) {
    bool little = m->memory_free >= 0 && m->memory_free < GIB;
    ht_findings_add(findings, "machine", "memory", little ? HT_LEVEL_WARNING : HT_LEVEL_FINE,
                    "end other programs: compilers take 200 MB each, one a core, besides the "
                    "kernels' buffers",
                    "%s", free_words(m->memory_free, m->memory, (char[64]){0}, 64));
    bool limited = m->address_limit >= 0 && m->address_limit < 8 * GIB;
    if (limited)
        ht_findings_add(findings, "machine", "address space", HT_LEVEL_WARNING,
                        "raise it: ulimit -v unlimited",
                        "limited to %.1f GiB: compilers and large problems may not fit",
                        m->address_limit / GIB);
}

static void judge_folders(const ht_machine *m, ht_findings *findings) {
    bool usable = m->temporary_writable && m->temporary_executable;
    bool little = m->temporary_free >= 0 && m->temporary_free < GIB;
    ht_findings_add(findings, "machine", "temporary files",
                    !usable  ? HT_LEVEL_MISSING
                    : little ? HT_LEVEL_WARNING
                             : HT_LEVEL_FINE,
                    !usable ? "set TMPDIR to a folder that can be written and run from"
                            : "free some, or set TMPDIR to a larger disk",
                    "%s: %s%s, %s", m->temporary,
                    !m->temporary_writable     ? "not writable: "
                    : !m->temporary_executable ? "mounted noexec: compiled kernels cannot be loaded"
                                               : "writable",
                    m->temporary_writable ? "" : m->temporary_error,
                    free_words(m->temporary_free, -1, (char[64]){0}, 64));
    if (m->data == NULL) {
        ht_findings_add(findings, "machine", "database", HT_LEVEL_WARNING,
                        "set HOME, XDG_DATA_HOME or HIPTEMPER_DB, or give --db FILE",
                        "no home folder: results will not be kept");
        return;
    }
    bool full = m->data_free >= 0 && m->data_free < GIB / 16;
    ht_findings_add(findings, "machine", "database",
                    m->data_writable && !full ? HT_LEVEL_FINE : HT_LEVEL_WARNING,
                    "give --db FILE or set HIPTEMPER_DB to a place with room", "%s: %s, %s",
                    m->data,
                    m->data_writable ? "writable" : "not writable: results will not be kept",
                    free_words(m->data_free, -1, (char[64]){0}, 64));
}

static void judge_limits(const ht_machine *m, ht_findings *findings) {
    const double maps = 65530, stack = 1 << 20, files = 256, processes = 256;
    ht_findings_add(findings, "machine", "max_map_count",
                    m->max_map_count < 0 || m->max_map_count >= maps ? HT_LEVEL_FINE
                                                                     : HT_LEVEL_WARNING,
                    "sysctl -w vm.max_map_count=65530: with fewer, stacks of emulated threads go "
                    "without guard pages",
                    "%.0f mappings a process", m->max_map_count);
    struct {
        const char *name, *unit, *fix;
        double value, least;
    } limits[] = {
        {"stack", "bytes", "ulimit -s 8192", m->stack_limit, stack},
        {"open files", "files", "ulimit -n 1024", m->file_limit, files},
        {"processes", "processes and threads", "ulimit -u unlimited", m->process_limit, processes},
    };
    for (size_t i = 0; i < sizeof limits / sizeof *limits; ++i) {
        bool low = limits[i].value >= 0 && limits[i].value < limits[i].least;
        if (isinf(limits[i].value))
            ht_findings_add(findings, "machine", limits[i].name, HT_LEVEL_FINE, NULL, "unlimited");
        else
            ht_findings_add(findings, "machine", limits[i].name,
                            low ? HT_LEVEL_WARNING : HT_LEVEL_FINE, limits[i].fix, "%.0f %s",
                            limits[i].value, limits[i].unit);
    }
}

static void judge_cores(const ht_machine *m, ht_findings *findings) {
    bool many = m->threads > m->cores, few = m->threads < m->cores;
    ht_findings_add(findings, "machine", "threads", many || few ? HT_LEVEL_WARNING : HT_LEVEL_FINE,
                    many ? "unset OMP_NUM_THREADS: more threads than cores wait for each other"
                         : "unset OMP_NUM_THREADS (or OMP_THREAD_LIMIT) to use every core",
                    "%d OpenMP threads on %d cores", m->threads, m->cores);
    if (m->quota > 0 && m->quota < m->cores)
        ht_findings_add(findings, "machine", "container", HT_LEVEL_WARNING,
                        "give the container whole cores (a cpuset instead of a quota): it is "
                        "stopped whenever its share of a period is spent",
                        "may use %.2f cores' worth of time of %d", m->quota, m->cores);
    bool busy = m->load > 0.5 * m->cores;
    ht_findings_add(findings, "machine", "load", busy ? HT_LEVEL_WARNING : HT_LEVEL_FINE,
                    "end other programs, or expect wider intervals", "%.2f on %d cores", m->load,
                    m->cores);
    if (m->stolen > 0.01)
        ht_findings_add(findings, "machine", "stolen time", HT_LEVEL_WARNING,
                        "other virtual machines take the cores: measure on one that owns its own",
                        "%.1f %% of the busy time since the start", 100 * m->stolen);
}

static void judge_clocks(const ht_machine *m, ht_findings *findings) {
    bool known = m->governor[0] != '\0', steady = strcmp(m->governor, "performance") == 0;
    if (known)
        ht_findings_add(findings, "machine", "clock", steady ? HT_LEVEL_FINE : HT_LEVEL_WARNING,
                        "cpupower frequency-set -g performance: clocks that follow the load add "
                        "noise",
                        "governor %s, %.0f MHz", m->governor, m->mhz);
    else
        ht_findings_add(findings, "machine", "clock", HT_LEVEL_FINE, NULL,
                        "not reported by this machine");
    if (m->throttled > 0)
        ht_findings_add(findings, "machine", "heat", HT_LEVEL_WARNING,
                        "better cooling; samples taken while the count rises are thrown away",
                        "the cores slowed down %lld times since the start", m->throttled);
}

void ht_machine_judge(const ht_machine *machine, ht_findings *findings) {
    judge_memory(machine, findings);
    judge_folders(machine, findings);
    judge_limits(machine, findings);
    judge_cores(machine, findings);
    judge_clocks(machine, findings);
}
