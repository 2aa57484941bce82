typedef int ht_empty;
