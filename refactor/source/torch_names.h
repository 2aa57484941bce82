/* PyTorch's tensors, streams and dispatch macros as a host sees them, for sources that are read
 * where it is not installed. Private to refactor/. */
#ifndef HT_REFACTOR_SOURCE_TORCH_NAMES_H
#define HT_REFACTOR_SOURCE_TORCH_NAMES_H

/* Declarations. A dispatch macro runs its lambda for one type. */
extern const char ht_torch_names[];
/* Its accessors, which kernels take as arguments: structures of the same layout, with the methods
 * that device code calls. */
extern const char ht_torch_accessors[];

#endif
