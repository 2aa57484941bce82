/* Warnings: facts that a person should know although the work goes on. */
#ifndef HT_BASE_WARNING_H
#define HT_BASE_WARNING_H

/* Prints "hiptemper: warning: ..." to stderr, or hands the text to the sink. */
void ht_warning(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* NULL: stderr. */
extern void (*ht_warning_sink)(const char *message);

#endif
