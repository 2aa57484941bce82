/* Is this for later? It lies behind. */
int d;
const char *v = "behind";
