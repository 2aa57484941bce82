/* Criterion brings libgit2 along, which reads all of the system's certificates whenever a program
 * starts: a fifth of the CPU of a small test's process. Tests talk to nobody. */
int mbedtls_x509_crt_parse_file(void *chain, const char *path);

int mbedtls_x509_crt_parse_file(void *chain, const char *path) {
    (void)chain;
    (void)path;
    return 0;
}
