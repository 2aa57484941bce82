/* hiprtc (5.2 to 7): what it lacks of its own compiler's HIP. Indices, barriers, wavefront
 * operations, vector types with operators, _Float16 and mathematics are hiprtc's own. */
#ifndef HT_CORE_H
#define HT_CORE_H

/* Types of 32 and 64 bits exist already. */
#define HT_OFFSETOF(type, member) __builtin_offsetof(type, member)
#define HT_HUGE_VALF (__builtin_huge_valf())
#define HT_HUGE_VAL (__builtin_huge_val())
#define HT_NANF (__builtin_nanf(""))

/* <assert.h> */
#ifndef assert
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition) ((condition) ? (void)0 : __builtin_trap())
#endif
#endif

#endif
