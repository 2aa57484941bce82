#include "runtime/host/fiber.h"

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

namespace context = boost::context::detail;

/* First thing after every switch, on the stack that was entered. */
static void arrive(ht_fiber *self, context::transfer_t transfer) {
    ht_fiber *from = static_cast<ht_fiber *>(transfer.data);
    from->context = transfer.fctx;
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
#endif
}

/* The pair that a first switch needs: who left and who is entered. */
static thread_local ht_fiber *entered;

static void begin(context::transfer_t transfer) {
    ht_fiber *self = entered;
    arrive(self, transfer);
    self->body(self->argument);
    __builtin_trap();
}

extern "C" void ht_fiber_prepare(ht_fiber *fiber, void *stack, size_t size, void (*body)(void *),
                                 void *argument) {
    fiber->stack = stack;
    fiber->size = size;
    fiber->fake_stack = nullptr;
    fiber->body = body;
    fiber->argument = argument;
    fiber->context = context::make_fcontext(static_cast<char *>(stack) + size, size, begin);
}

extern "C" void ht_fiber_switch(ht_fiber *from, ht_fiber *to) {
    entered = to;
#ifdef HT_FIBER_ASAN
    __sanitizer_start_switch_fiber(&from->fake_stack, to->stack, to->size);
#endif
    context::transfer_t transfer = context::jump_fcontext(to->context, from);
    arrive(from, transfer);
}
