/* The name of this machine, as reports and claims carry it. */
#ifndef HT_BASE_HOST_NAME_H
#define HT_BASE_HOST_NAME_H

enum { HT_HOST_NAME_SIZE = 256 };

/* Writes the name, cut where it does not fit; "" if there is none. */
void ht_host_name(char out_name[HT_HOST_NAME_SIZE]);

#endif
