/* rocjitsu, AMD's emulator of its GPUs (part of ROCm 10): a program is started with its library,
 * which answers for the driver, and kernels run on the processor. Their results are a GPU's, their
 * times are not. docs/amd-provider.md. */
#ifndef HT_RUNTIME_AMD_ROCJITSU_H
#define HT_RUNTIME_AMD_ROCJITSU_H

/* The file of the library, if this process was started with it; NULL else. Static. */
const char *ht_rocjitsu_library(void);
/* The program that starts others so, looked for in PATH and in the bin of $ROCM_PATH and /opt/rocm;
 * NULL: there is none. free(). */
char *ht_rocjitsu_program(void);

#endif
