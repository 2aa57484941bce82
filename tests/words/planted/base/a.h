/* It lies beside it. */
int a;
/* Is it so? */
int b;
/* There is none. A length that
 * is none. What follows is c, at most so
 * many of them; `behind` is a name. */
int c;
