/* ROCm's libraries keep what they allocate until the process ends; only our own leaks are of
 * interest. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libamdhip64\nleak:libamd_comgr\nleak:libLLVM\nleak:libhsa-runtime64\n";
}
