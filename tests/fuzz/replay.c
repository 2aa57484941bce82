/* Runs a fuzz target over the files of a folder, in builds without libFuzzer. */
#include "fuzz.h"

#include "base/file.h"

#include <dirent.h>

int main(int argc, char **argv) {
    size_t ran = 0;
    DIR *folder = argc == 2 ? opendir(argv[1]) : NULL;
    if (!folder) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    for (struct dirent *entry; (entry = readdir(folder));) {
        char *path = ht_path_join(argv[1], entry->d_name), *data;
        size_t length;
        if (entry->d_name[0] != '.' && ht_file_read(path, 0, &data, &length, NULL) == HT_OK) {
            LLVMFuzzerTestOneInput((const uint8_t *)data, length);
            free(data);
            ++ran;
        }
        free(path);
    }
    closedir(folder);
    printf("%zu inputs\n", ran);
    return ran ? 0 : 1;
}
