#include "runtime/sandbox/descriptor.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

typedef union rights {
    struct cmsghdr header;
    char space[CMSG_SPACE(sizeof(int))];
} rights;

bool ht_descriptor_send(int socket, const void *data, size_t size, int descriptor) {
    rights control = {0};
    struct iovec part = {(void *)(size_t)data, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof descriptor);
    memcpy(CMSG_DATA(header), &descriptor, sizeof descriptor);
    return sendmsg(socket, &message, MSG_NOSIGNAL) == (ssize_t)size;
}

bool ht_descriptor_receive(int socket, void *data, size_t size, int *out_descriptor) {
    rights control;
    struct iovec part = {data, size};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t got;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    while (got < 0 && errno == EINTR);
    struct cmsghdr *header = got == (ssize_t)size ? CMSG_FIRSTHDR(&message) : NULL;
    if (header == NULL || header->cmsg_type != SCM_RIGHTS)
        return false;
    memcpy(out_descriptor, CMSG_DATA(header), sizeof *out_descriptor);
    return true;
}
