/* Contents of an inferred problem's buffers, where those that were inferred do not hold: small
 * whole numbers, which are in bounds as subscripts of most arrays, or 0, 1, 2, ..., which are
 * sorted, all different, and the beginnings of rows that fit each other. */
#ifndef HT_PIPELINE_INFER_CONTENTS_H
#define HT_PIPELINE_INFER_CONTENTS_H

typedef enum ht_contents {
    HT_CONTENTS_INFERRED, /* as they are */
    HT_CONTENTS_TO_SEVEN, /* whole numbers, from 0 to 7 */
    HT_CONTENTS_TO_ONE,   /* 0 and 1 */
    HT_CONTENTS_LETTERS,  /* a to z in buffers of char, of which there must be one; 0 to 7 in
                             others */
    HT_CONTENTS_COUNTED   /* 0, 1, 2, ...; outputs whose number of elements was chosen for smaller
                             numbers have as many */
} ht_contents;

/* Returns a template's text with these contents in each buffer of integers that is set up before a
 * launch; free(). NULL: it has none, or they hold no more already. */
char *ht_inferred_contents_template(const char *text, ht_contents contents);
/* Does the same for the text of an inferred problem's file. */
char *ht_inferred_contents_problem(const char *text, ht_contents contents);

#endif
