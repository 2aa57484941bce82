#include "runtime/amd/isa/disassembly.h"

#include "base/memory.h"
#include "runtime/amd/code_object/symbols.h"
#include "runtime/amd/isa/llvm.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* amd_comgr.h, which need not be installed: handles are 64-bit numbers in structures. */
typedef struct comgr_disassembly {
    uint64_t handle;
} comgr_disassembly;

typedef struct comgr {
    int (*create)(const char *isa, uint64_t (*read)(uint64_t, char *, uint64_t, void *),
                  void (*print)(const char *, void *), void (*annotate)(uint64_t, void *),
                  comgr_disassembly *out);
    int (*destroy)(comgr_disassembly disassembly);
    int (*next)(comgr_disassembly disassembly, uint64_t address, void *context, uint64_t *out_size);
} comgr;

static const char *const names[] = {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so",
                                    NULL};

/* The state of the callbacks. */
typedef struct work {
    ht_amd_bytes code;
    uint64_t address; /* of the code */
    uint64_t at;      /* of the instruction that is printed */
    ht_isa_program *program;
    ht_status status;
    ht_error *error;
} work;

static bool comgr_load(void *library, comgr *out) {
    const ht_amd_wanted wanted[] = {{"amd_comgr_create_disassembly_info", &out->create},
                                    {"amd_comgr_destroy_disassembly_info", &out->destroy},
                                    {"amd_comgr_disassemble_instruction", &out->next}};
    return ht_amd_library_symbols(library, wanted, sizeof wanted / sizeof *wanted);
}

/* Opens the library, once a process; it stays open. */
static ht_status comgr_open(comgr *out, ht_error *error) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static comgr opened;
    static bool is_open;
    ht_status status = HT_OK;
    pthread_mutex_lock(&lock);
    if (!is_open) {
        void *library = ht_amd_library_open(names);
        is_open = library && comgr_load(library, &opened);
        if (!is_open)
            status = ht_error_set(error, HT_ERROR_MISSING,
                                  "no library %s with a disassembler loads; it comes with ROCm's "
                                  "HIP runtime (Debian: apt-get install libamd-comgr2)",
                                  names[0]);
    }
    *out = opened;
    pthread_mutex_unlock(&lock);
    return status;
}

static uint64_t read_code(uint64_t from, char *to, uint64_t size, void *context) {
    const work *self = context;
    if (from < self->address || from - self->address >= self->code.size)
        return 0;
    uint64_t left = self->code.size - (from - self->address);
    uint64_t count = size < left ? size : left;
    memcpy(to, self->code.data + (from - self->address), count);
    return count;
}

static void take_text(const char *text, void *context) {
    work *self = context;
    if (!self->status)
        self->status = ht_isa_program_add(self->program, self->at, text, self->error);
}

static void take_address(uint64_t address, void *context) {
    (void)address, (void)context;
}

ht_status ht_isa_disassemble(ht_amd_bytes code, uint64_t address, const char *arch,
                             ht_isa_program *out_program, ht_error *error) {
    comgr library;
    comgr_disassembly disassembly;
    *out_program = (ht_isa_program){0};
    ht_status status = comgr_open(&library, error);
    if (status)
        return status;
    char *isa = ht_format("amdgcn-amd-amdhsa--%s", arch);
    bool known = library.create(isa, read_code, take_text, take_address, &disassembly) == 0;
    free(isa);
    if (!known)
        return ht_isa_llvm_disassemble(code, address, arch, out_program, error);
    work work = {.code = code, .address = address, .program = out_program, .error = error};
    for (uint64_t at = 0, size = 0; at < code.size && !work.status; at += size) {
        work.at = address + at;
        if (library.next(disassembly, work.at, &work, &size) != 0 || size == 0)
            work.status =
                ht_error_set(error, HT_ERROR_COMPILE, "the code at 0x%llx is no instruction of %s",
                             (unsigned long long)work.at, arch);
    }
    library.destroy(disassembly);
    if (!work.status)
        work.status = ht_isa_program_link(out_program, error);
    if (work.status)
        ht_isa_program_free(out_program);
    return work.status;
}
