/* What the host provider's ht_check.h includes; all of it is here already. */
