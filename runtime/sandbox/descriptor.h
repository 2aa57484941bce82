/* Handing an open file to another process, over a Unix socket that keeps messages whole. */
#ifndef HT_RUNTIME_SANDBOX_DESCRIPTOR_H
#define HT_RUNTIME_SANDBOX_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>

/* One message: `size` bytes and the descriptor, which stays the sender's, too. False: errno has the
 * reason. */
bool ht_descriptor_send(int socket, const void *data, size_t size, int descriptor);
/* Takes such a message of just this size. The descriptor is the caller's to close, and closed when
 * another program is run. False when none came. */
bool ht_descriptor_receive(int socket, void *data, size_t size, int *out_descriptor);

#endif
