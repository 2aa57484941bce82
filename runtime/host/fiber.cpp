/* Switching between the threads of a block, by Boost.Context. */
#include "runtime/host/fiber.h"

#include "runtime/host/prelude/ht_state.h"
#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define HT_FIBER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HT_FIBER_ASAN 1
#endif
#endif
#ifdef HT_FIBER_ASAN
#include <sanitizer/common_interface_defs.h>
#endif

/* Announces the switch to AddressSanitizer, on the stack that was entered. */
static inline void arrived(ht_fiber *self, ht_fiber *from) {
#ifdef HT_FIBER_ASAN
    const void *stack;
    size_t size;
    __sanitizer_finish_switch_fiber(self->fake_stack, &stack, &size);
    if (!from->stack) {
        from->stack = stack;
        from->size = size;
    }
#else
    (void)self;
    (void)from;
#endif
}

static inline void leaving(ht_fiber *from, ht_fiber *to) {
#ifdef HT_FIBER_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->size);
#else
    (void)from;
    (void)to;
#endif
}

/* The fiber that left in favour of the one that runs now. */
static thread_local ht_fiber *left;

static void begin(ht_fiber *self) {
    arrived(self, left);
    self->body(self->argument);
    __builtin_trap();
}

namespace context = boost::context::detail;

static void keep(context::transfer_t transfer) {
    left = static_cast<ht_fiber **>(transfer.data)[0];
    left->context = transfer.fctx;
}

static void enter(context::transfer_t transfer) {
    ht_fiber *self = static_cast<ht_fiber **>(transfer.data)[1];
    keep(transfer);
    begin(self);
}

static void *new_context(ht_fiber *fiber) {
    char *top = static_cast<char *>(const_cast<void *>(fiber->stack)) + fiber->size;
    return context::make_fcontext(top, fiber->size, enter);
}

static inline void jump(ht_fiber *from, ht_fiber *to) {
    ht_fiber *pair[2] = {from, to};
    keep(context::jump_fcontext(to->context, pair));
}

/* Entry points of a kernel's barriers and shuffles. */
extern "C" unsigned ht_block_barrier(unsigned, const char *, int, const char *);
extern "C" unsigned long ht_block_wave(unsigned, unsigned long, unsigned long, const char *, int,
                                       const char *);

unsigned ht_device_barrier(unsigned predicate, const char *file, int line,
                           const char *what) noexcept {
    return ht_block_barrier(predicate, file, line, what);
}

unsigned long ht_device_wave(unsigned wish, unsigned long mask, unsigned long value,
                             const char *file, int line, const char *what) noexcept {
    return ht_block_wave(wish, mask, value, file, line, what);
}

extern "C" void ht_fiber_prepare(ht_fiber *fiber, void *stack, size_t size, void (*body)(void *),
                                 void *argument) {
    fiber->stack = stack;
    fiber->size = size;
    fiber->fake_stack = nullptr;
    fiber->body = body;
    fiber->argument = argument;
    fiber->context = new_context(fiber);
}

extern "C" void ht_fiber_switch(ht_fiber *from, ht_fiber *to) {
    leaving(from, to);
    jump(from, to);
    arrived(from, left);
}
