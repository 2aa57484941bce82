/* What a compiled kernel and the program that runs it both see: C for the program, C++ for kernels.
 * A change here must raise HT_DEVICE_ABI, since images may outlive the program that made them. */
#ifndef HT_STATE_H
#define HT_STATE_H

#define HT_DEVICE_ABI 2u

/* Where device code is a dialect of its own (runtime/emulate/prelude), the attribute of what it may
 * call and read. */
#ifndef HT_DEVICE_SIDE
#define HT_DEVICE_SIDE
#endif

#ifdef __cplusplus
/* A type of its own, so that a kernel's stores to its unsigned arrays are known not to change an
 * index. */
enum ht_word : unsigned {};
extern "C" {
#else
typedef unsigned ht_word;
#endif

/* The thread that runs now on this OS thread. */
struct ht_device_state {
    ht_word thread[3]; /* threadIdx */
    ht_word block[3];  /* blockIdx */
    ht_word size[3];   /* blockDim */
    ht_word grid[3];   /* gridDim */
    ht_word next[3];   /* threadIdx of the next thread to start; next[2] == size[2]: none */
    ht_word waited;    /* a thread of this block has waited, so that ends of threads must be told */
    ht_word threads;   /* of a block */
};

/* What a lane wants of a meeting: the value of a lane (0 to 63), or one of these. */
enum ht_wave_wish {
    HT_WAVE_BALLOT = 64, /* the mask of lanes with a value other than 0 */
    HT_WAVE_SYNC = 65,   /* nothing */
    HT_WAVE_NONE = 66    /* the value of a lane that does not exist */
};

/* One per name expression, exported under the lowered name. */
struct ht_device_entry {
    unsigned abi;
    unsigned wavefront; /* lanes the unit was compiled for */
    unsigned lds;       /* bytes of static __shared__ arrays; filled in after compiling */
    unsigned arguments; /* of a kernel */
    unsigned checked;   /* 1: compiled for checking (docs/checking.md) */
    const char *name;   /* the name expression */
    void (*run)(
        void *const *arguments); /* runs threads until none is left to start; NULL for a variable */
    void *address;               /* of a variable; of a kernel: NULL, or where hiptemper emulate has
                                    the sizes of its arguments, a byte each, 0: not known */
    unsigned long size;          /* of a variable in bytes */
};

extern HT_DEVICE_SIDE __thread struct ht_device_state ht_device_state
    __attribute__((tls_model("initial-exec"), visibility("default")));

#ifdef __cplusplus
#define HT_DEVICE_NOEXCEPT noexcept
#else
#define HT_DEVICE_NOEXCEPT
#endif

/* Meets the block. The count of threads with a true predicate among those that arrived. */
HT_DEVICE_SIDE unsigned ht_device_barrier(unsigned predicate, const char *file, int line,
                           const char *what) HT_DEVICE_NOEXCEPT;
/* Meets the lanes of `mask` that have not ended and returns what `wish` asks for; all bits set
 * where it asks for the value of a lane that takes no part. Six arguments at most: the entry passes
 * on registers alone. */
HT_DEVICE_SIDE unsigned long ht_device_wave(unsigned wish, unsigned long mask, unsigned long value,
                             const char *file, int line, const char *what) HT_DEVICE_NOEXCEPT;
/* The running thread has ended; called only when state.waited. */
HT_DEVICE_SIDE void ht_device_thread_end(void) HT_DEVICE_NOEXCEPT;
/* Ends the launch with an error. */
HT_DEVICE_SIDE void ht_device_fail(const char *expression, const char *file, int line) HT_DEVICE_NOEXCEPT
    __attribute__((noreturn));
/* More threads were launched than __launch_bounds__ allows. */
HT_DEVICE_SIDE void ht_device_exceeded(unsigned bound) HT_DEVICE_NOEXCEPT __attribute__((noreturn));

/* Called by checked images only. What an access is: */
enum ht_access {
    HT_ACCESS_READ = 0,
    HT_ACCESS_WRITE = 1,
    HT_ACCESS_ATOMIC = 2,
    HT_ACCESS_UPDATE = 4 /* a write that depends on what was there */
};
/* The running thread is about to touch memory; `place` is an address in the code. */
HT_DEVICE_SIDE void ht_device_access(const volatile void *at, unsigned long size, unsigned kind,
                      const void *place) HT_DEVICE_NOEXCEPT;
/* Makes the next thread in this pass's order the running one; 0 when all have been started. */
HT_DEVICE_SIDE int ht_device_next_thread(void) HT_DEVICE_NOEXCEPT;
/* The compiler's own check failed: an index outside an array, a division by zero. */
HT_DEVICE_SIDE void ht_device_undefined(const char *what, unsigned long index, const char *file,
                         int line) HT_DEVICE_NOEXCEPT __attribute__((noreturn));

#ifdef __cplusplus
}
#endif
#undef HT_DEVICE_NOEXCEPT
#endif
