#include "runtime/amd/isa/llvm.h"

#include "runtime/amd/code_object/symbols.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

enum { TEXT_SIZE = 512 };

/* llvm-c/Disassembler.h. */
typedef struct llvm {
    void (*info)(void), (*machine)(void), (*disassembler)(void);
    void *(*create)(const char *triple, const char *cpu, void *context, int tag,
                    void *get_information, void *look_up);
    void (*dispose)(void *disassembler_context);
    size_t (*next)(void *disassembler_context, uint8_t *bytes, uint64_t size, uint64_t address,
                   char *text, size_t text_size);
} llvm;

static const char *const names[] = {"libLLVM.so.20.1", "libLLVM.so.19.1", "libLLVM-19.so.1",
                                    "libLLVM-18.so.1", "libLLVM-17.so.1", "libLLVM-16.so.1"};

static bool llvm_load(void *library, llvm *out) {
    const ht_amd_wanted wanted[] = {{"LLVMInitializeAMDGPUTargetInfo", &out->info},
                                    {"LLVMInitializeAMDGPUTargetMC", &out->machine},
                                    {"LLVMInitializeAMDGPUDisassembler", &out->disassembler},
                                    {"LLVMCreateDisasmCPU", &out->create},
                                    {"LLVMDisasmDispose", &out->dispose},
                                    {"LLVMDisasmInstruction", &out->next}};
    return ht_amd_library_symbols(library, wanted, sizeof wanted / sizeof *wanted);
}

/* Opens the newest library that is there, once a process; it stays open. */
static bool llvm_open(llvm *out) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static llvm opened;
    static bool is_open;
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < sizeof names / sizeof *names && !is_open; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        is_open = library && llvm_load(library, &opened);
        if (is_open) {
            opened.info();
            opened.machine();
            opened.disassembler();
        }
    }
    *out = opened;
    pthread_mutex_unlock(&lock);
    return is_open;
}

ht_status ht_isa_llvm_disassemble(ht_amd_bytes code, uint64_t address, const char *arch,
                                  ht_isa_program *out_program, ht_error *error) {
    llvm library;
    char text[TEXT_SIZE], cpu[32] = "";
    ht_status status = HT_OK;
    *out_program = (ht_isa_program){0};
    strncat(cpu, arch, strcspn(arch, ":") < sizeof cpu ? strcspn(arch, ":") : sizeof cpu - 1);
    void *context =
        llvm_open(&library) ? library.create("amdgcn-amd-amdhsa", cpu, NULL, 0, NULL, NULL) : NULL;
    if (!context)
        return ht_error_set(error, HT_ERROR_MISSING,
                            "no disassembler for %s: ROCm's is too old for it, and no LLVM's "
                            "library that has one loads (Debian: apt-get install libllvm19)",
                            arch);
    for (uint64_t at = 0, size = 0; at < code.size && !status; at += size) {
        /* It only reads them. */
        uint8_t *bytes = (uint8_t *)(uintptr_t)(code.data + at);
        size = library.next(context, bytes, code.size - at, address + at, text, sizeof text);
        status = size ? ht_isa_program_add(out_program, address + at, text, error)
                      : ht_error_set(error, HT_ERROR_COMPILE,
                                     "the code at 0x%llx is no instruction of %s",
                                     (unsigned long long)(address + at), arch);
    }
    library.dispose(context);
    if (!status)
        status = ht_isa_program_link(out_program, error);
    if (status)
        ht_isa_program_free(out_program);
    return status;
}
