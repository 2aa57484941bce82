/* Comes in front of every file of a program when its device code is compiled for the machine's
 * cores. HIP's own headers follow; what they take from AMD's compiler and device libraries
 * (__builtin_amdgcn_*, __ockl_*, __ocml_*) is defined here and in the two headers below. */
#ifndef HT_EMULATE_H
#define HT_EMULATE_H

#ifndef HT_CHECKED
#define HT_EMULATED extern "C" __attribute__((device, always_inline)) inline
#else
/* What is done here is not the kernel's own access. */
#define HT_EMULATED                                                                                \
    extern "C" __attribute__((device, noinline, disable_sanitizer_instrumentation)) inline
#endif
#define HT_DEVICE_SIDE __attribute__((device))

#include "ht_state.h"

#include "ht_amdgcn.h"

/* Clang's wrapper, which the compiler includes itself for a GPU, at a point where nothing could be
 * declared before it. */
#include <__clang_hip_runtime_wrapper.h>

#include "ht_ocml.h"
#include "ht_ockl.h"
#include "ht_image.h"

/* What the entries that the emulator writes for each kernel call: takes the next thread of the
 * block, 0 when all have been started; and notes that one has ended. */
HT_EMULATED int ht_thread_start() __asm__("ht_thread_start") __attribute__((used));
HT_EMULATED void ht_thread_end() __asm__("ht_thread_end") __attribute__((used));
HT_EMULATED int ht_thread_start() {
#ifdef HT_CHECKED
    return ht_device_next_thread();
#else
    struct ht_device_state &state = ht_device_state;
    unsigned x = state.next[0], y = state.next[1], z = state.next[2];
    if (z == state.size[2])
        return 0;
    state.thread[0] = ht_word(x);
    state.thread[1] = ht_word(y);
    state.thread[2] = ht_word(z);
    if (__builtin_expect(++x == state.size[0], 0)) {
        x = 0;
        if (++y == state.size[1]) {
            y = 0;
            state.next[2] = ht_word(z + 1);
        }
        state.next[1] = ht_word(y);
    }
    state.next[0] = ht_word(x);
    return 1;
#endif
}
HT_EMULATED void ht_thread_end() {
    if (__builtin_expect(ht_device_state.waited, 0))
        ht_device_thread_end();
}

/* A failed assertion and __builtin_trap end the launch, not the process. */
HT_EMULATED void ht_assertion(const char *, const char *, unsigned, const char *)
    __attribute__((used));
HT_EMULATED void ht_assertion(const char *expression, const char *file, unsigned line,
                              const char *) {
    ht_device_fail(expression, file, (int)line);
}
HT_EMULATED void ht_trap() __attribute__((used));
HT_EMULATED void ht_trap() {
    ht_device_fail("__trap()", "kernel", 0);
}

/* The host provider's answers to the compiler's instrumentation. */
#pragma clang force_cuda_host_device begin
#include "ht_check.h"
#pragma clang force_cuda_host_device end

#endif
