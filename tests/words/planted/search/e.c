/* Tells are told in search/. Is it? */
int e;
