#include "refactor/fingerprint.h"

#include "base/fingerprint.h"
#include "refactor/source/libclang.h"
#include "refactor/source/resource_dir.h"

#include <stdlib.h>

ht_status ht_refactor_fingerprint_tools(ht_text *out, ht_error *error) {
    static const char *const libraries[] = {"libclang", "libLLVM", "libisl", "libgmp", NULL};
    static const char *const variables[] = {"CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH",
                                            "HIP_PATH", "ROCM_PATH"};
    static const char *const headers[] = {"/usr/include/hip/hip_runtime.h",
                                          "/usr/include/hip/hip_version.h"};
    char hash[HT_HASH_SIZE];
    ht_status status = ht_libclang_load(error);
    if (status != HT_OK)
        return status;
    ht_fingerprint_file("/proc/self/exe", out);
    ht_fingerprint_libraries(libraries, hash);
    char *resources = ht_resource_dir_find();
    ht_text_printf(out, "%s\n%s\n", hash, resources ? resources : "");
    free(resources);
    for (size_t i = 0; i < sizeof headers / sizeof *headers; ++i)
        ht_fingerprint_file(headers[i], out);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; ++i) {
        const char *value = getenv(variables[i]);
        ht_text_printf(out, "%s=%s\n", variables[i], value ? value : "");
    }
    return HT_OK;
}

ht_status ht_refactor_fingerprint(ht_text *out, ht_error *error) {
    char *folder = realpath(".", NULL);
    ht_text_printf(out, "%s\n", folder ? folder : "");
    free(folder);
    return ht_refactor_fingerprint_tools(out, error);
}
