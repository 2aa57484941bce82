const char *a(void) {
    return getenv("HIPTEMPER_UNHEARD");
}
