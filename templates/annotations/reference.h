/* The built-in references' names. Private to templates/; what they compute is the runtime's. */
#ifndef HT_TEMPLATES_ANNOTATIONS_REFERENCE_H
#define HT_TEMPLATES_ANNOTATIONS_REFERENCE_H

/* For error messages. */
const char *ht_reference_builtin_names(void);

#endif
