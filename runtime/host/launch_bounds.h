/* __launch_bounds__ is kept: the unit's text is changed so that each kernel tests its bound. */
#ifndef HT_RUNTIME_HOST_LAUNCH_BOUNDS_H
#define HT_RUNTIME_HOST_LAUNCH_BOUNDS_H

/* A copy of the unit in which every kernel with `__launch_bounds__(...)` and a body calls
 * ht_launch_bounds(...) first; lines stay. Bounds within a macro's definition are left alone, since
 * the body cannot be found. free(). */
char *ht_launch_bounds_enforce(const char *source);

#endif
