/* NVRTC keeps some of what it allocates for a unit that it refuses; only our own leaks are of
 * interest. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libnvrtc\n";
}
