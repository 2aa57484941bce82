/* Included behind every unit. */

/* By this byte the program finds an OS thread's copy of the shared arrays. */
extern "C" __attribute__((__visibility__("default"))) __thread char ht_lds_anchor;
__thread char ht_lds_anchor;
#ifdef HT_CHECKED
extern "C" __attribute__((__visibility__("default"))) char ht_image_checked;
char ht_image_checked;
#endif

/* Global objects of a unit (those of <iostream>, say) are destroyed when its module is unloaded.
 * This is what the C++ start files do, which are not linked: looking for them would take longer
 * than the link. */
extern "C" {
__attribute__((__visibility__("hidden"))) void *__dso_handle = &__dso_handle;
void __cxa_finalize(void *);
}
__attribute__((__destructor__)) HT_UNCHECKED static void ht_finalize() {
    __cxa_finalize(&__dso_handle);
}
