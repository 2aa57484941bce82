/* void ht_fiber_jump(void **save, void *load): leaves the stack in use, whose top goes to *save, for the one at `load`.
 * The ABI's callee-saved registers travel on the stack; the floating-point control words do not: kernels never change
 * them, and saving them is half the cost of Boost.Context's switch. */
#ifndef HT_FIBER_BOOST
    .text
    .globl ht_fiber_jump
    .hidden ht_fiber_jump
    .type ht_fiber_jump, @function
    .balign 16
ht_fiber_jump:
    .cfi_startproc
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
    .cfi_endproc
    .size ht_fiber_jump, . - ht_fiber_jump

/* Where a new fiber begins: r12 holds the argument, r13 the function. No caller: backtraces end here. */
    .globl ht_fiber_entry
    .hidden ht_fiber_entry
    .type ht_fiber_entry, @function
    .balign 16
ht_fiber_entry:
    .cfi_startproc
    .cfi_undefined rip
    movq %r12, %rdi
    call *%r13
    ud2
    .cfi_endproc
    .size ht_fiber_entry, . - ht_fiber_entry

/* A kernel waits in one place and is resumed while the processor's return-address predictor holds the place of the thread
 * that has just left, which is one barrier further on: a plain return would be mispredicted at every switch. An indirect
 * jump is predicted by where the threads before went. */
    .macro wait_function name, body
    .globl \name
    .type \name, @function
    .balign 16
\name:
    .cfi_startproc
    subq $8, %rsp
    .cfi_adjust_cfa_offset 8
    call \body
    addq $8, %rsp
    .cfi_adjust_cfa_offset -8
    popq %rcx
    .cfi_adjust_cfa_offset -8
    .cfi_register rip, rcx
    jmp *%rcx
    .cfi_endproc
    .size \name, . - \name
    .endm

    wait_function ht_device_barrier, ht_block_barrier
    wait_function ht_device_wave, ht_block_wave
#endif
    .section .note.GNU-stack, "", @progbits
