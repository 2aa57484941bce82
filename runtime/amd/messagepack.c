/* MessagePack is a flat run of tokens; arrays and maps only say how many values follow. So one pass
 * that counts the values still owed finds every declared length that the bytes cannot hold. */
#include "runtime/amd/bytes.h"
#include "runtime/amd/metadata.h"

typedef struct token {
    unsigned length_bytes; /* of the big-endian length that follows the type byte */
    unsigned fixed;        /* bytes (or values) besides that length */
    unsigned values; /* values per element: 0 for scalars and strings, 1 for arrays, 2 for maps */
} token;

static bool token_classify(uint8_t type, token *out) {
    *out = (token){0};
    if (type <= 0x7f || type >= 0xe0 || type == 0xc0 || type == 0xc2 || type == 0xc3)
        return true; /* small integers, nil, false, true */
    if (type <= 0x8f)
        *out = (token){.fixed = type & 15, .values = 2};
    else if (type <= 0x9f)
        *out = (token){.fixed = type & 15, .values = 1};
    else if (type <= 0xbf)
        *out = (token){.fixed = type & 31};
    else if (type >= 0xc4 && type <= 0xc6) /* bin */
        *out = (token){.length_bytes = 1u << (type - 0xc4)};
    else if (type >= 0xc7 && type <= 0xc9) /* ext */
        *out = (token){.length_bytes = 1u << (type - 0xc7), .fixed = 1};
    else if (type == 0xca || type == 0xcb) /* float, double */
        *out = (token){.fixed = type == 0xca ? 4 : 8};
    else if (type >= 0xcc && type <= 0xd3) /* integers */
        *out = (token){.fixed = 1u << (type & 3)};
    else if (type >= 0xd4 && type <= 0xd8) /* fixext */
        *out = (token){.fixed = 1 + (1u << (type - 0xd4))};
    else if (type >= 0xd9 && type <= 0xdb) /* str */
        *out = (token){.length_bytes = 1u << (type - 0xd9)};
    else if (type >= 0xdc) /* array, map */
        *out = (token){.length_bytes = type & 1 ? 4 : 2, .values = type >= 0xde ? 2 : 1};
    return type != 0xc1;
}

ht_status ht_amd_messagepack_check(ht_amd_bytes note, ht_error *error) {
    uint64_t at = 0, owed = 1;
    while (owed > 0) {
        token kind;
        if (at >= note.size)
            return ht_error_set(error, HT_ERROR_COMPILE,
                                "the kernel metadata is damaged: MessagePack ends after %zu bytes "
                                "with values missing",
                                note.size);
        if (!token_classify(note.data[at], &kind) || kind.length_bytes > note.size - at - 1)
            return ht_error_set(error, HT_ERROR_COMPILE,
                                "the kernel metadata is damaged: no MessagePack value at byte %llu",
                                (unsigned long long)at);
        uint64_t length = 0;
        for (unsigned i = 0; i < kind.length_bytes; i++)
            length = length << 8 | note.data[at + 1 + i];
        length += kind.fixed;
        at += 1 + kind.length_bytes;
        uint64_t bytes = kind.values ? 0 : length;
        owed += kind.values * length - 1;
        if (bytes > note.size - at || owed > note.size - at - bytes)
            return ht_error_set(error, HT_ERROR_COMPILE,
                                "the kernel metadata is damaged: a MessagePack length before byte "
                                "%llu of %zu is too large",
                                (unsigned long long)at, note.size);
        at += bytes;
    }
    return HT_OK;
}
