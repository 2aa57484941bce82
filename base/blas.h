/* OpenBLAS, loaded when the first matrix is multiplied: it and Fortran's library are nine of ten
 * symbols that the dynamic linker looks up for hiptemper, half of the CPU time of a start, which
 * workers and most commands do without. */
#ifndef HT_BASE_BLAS_H
#define HT_BASE_BLAS_H

#include <cblas.h>
#include <stdbool.h>

/* All functions of it that are called: they have their own names. */
#define HT_BLAS_FUNCTIONS(X)                                                                       \
    X(cblas_daxpy)                                                                                 \
    X(cblas_ddot)                                                                                  \
    X(cblas_dgemm)                                                                                 \
    X(cblas_dsyr)                                                                                  \
    X(cblas_dsyrk)                                                                                 \
    X(cblas_dtrsm)                                                                                 \
    X(cblas_dtrsv)                                                                                 \
    X(cblas_sgemm)                                                                                 \
    X(cblas_sgemv)                                                                                 \
    X(cblas_strsm)

#define HT_BLAS_POINTER(function) __typeof__(&function) function;
typedef struct ht_blas_functions {
    HT_BLAS_FUNCTIONS(HT_BLAS_POINTER)
} ht_blas_functions;
#undef HT_BLAS_POINTER

extern ht_blas_functions ht_blas; /* set by ht_blas_begin */

/* To be called before the first product of a thread. Loads the library, with one thread of its own:
 * the same results whatever the number of cores, and no fight over them between searches that run
 * side by side. OpenBLAS 0.3.21 takes processors that it does not know for the oldest one (4 times
 * slower, measured): it is then loaded with the right choice in OPENBLAS_CORETYPE, unless the user
 * has set that. Where the library cannot be loaded, says what to install and ends the program with
 * exit code 3. */
void ht_blas_begin(void);

/* Which library answers: "OpenBLAS 0.3.21 (SkylakeX)", or what else is there. */
typedef struct ht_blas_info {
    char text[128];
    bool openblas;
    bool slow_kernels; /* OpenBLAS does not know this processor and uses kernels for an old one */
} ht_blas_info;
void ht_blas_describe(ht_blas_info *out_info);

#define cblas_daxpy ht_blas.cblas_daxpy
#define cblas_ddot ht_blas.cblas_ddot
#define cblas_dgemm ht_blas.cblas_dgemm
#define cblas_dsyr ht_blas.cblas_dsyr
#define cblas_dsyrk ht_blas.cblas_dsyrk
#define cblas_dtrsm ht_blas.cblas_dtrsm
#define cblas_dtrsv ht_blas.cblas_dtrsv
#define cblas_sgemm ht_blas.cblas_sgemm
#define cblas_sgemv ht_blas.cblas_sgemv
#define cblas_strsm ht_blas.cblas_strsm

#endif
