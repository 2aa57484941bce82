/* A failed assert ends the launch, not the process. No guard: NDEBUG may change between inclusions.
 */
#undef assert
#ifdef NDEBUG
#define assert(expression) ((void)0)
#else
#define assert(expression)                                                                         \
    ((expression) ? (void)0 : ht_device_fail(#expression, __FILE__, __LINE__))
#endif
