/* What lies beside it. */
int a;
/* Is it so? */
int b;
