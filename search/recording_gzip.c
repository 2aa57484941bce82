#include "search/recording_gzip.h"

#include "base/memory.h"
#include "base/text.h"

#include <stdlib.h>
#include <zlib.h>

enum { GZIP_WINDOW = 15 + 16, CHUNK = 1 << 16, MEMORY_LEVEL = 8 };

bool ht_gzip_is(const void *data, size_t length) {
    const unsigned char *bytes = data;
    return length >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

/* Feeds what is left of the input (a stream counts in 32 bits, so in parts) and appends what comes
 * out. Returns zlib's code: Z_OK when more input could give more, Z_STREAM_END at a member's end.
 */
static int step(z_stream *stream, const unsigned char *end, ht_text *out) {
    unsigned char chunk[CHUNK];
    if (stream->avail_in == 0) {
        size_t left = (size_t)(end - stream->next_in);
        stream->avail_in = left > (1u << 30) ? 1u << 30 : (uInt)left;
    }
    stream->next_out = chunk;
    stream->avail_out = CHUNK;
    int code = inflate(stream, Z_NO_FLUSH);
    ht_text_append_n(out, (const char *)chunk, CHUNK - stream->avail_out);
    return code;
}

ht_status ht_gzip_unpack(const void *data, size_t length, size_t limit, const char *path,
                         char **out_data, size_t *out_length, ht_error *error) {
    z_stream stream = {.next_in = (z_const Bytef *)data};
    const unsigned char *end = (const unsigned char *)data + length;
    ht_text text = {0};
    ht_text_append(&text, "");
    if (inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
        return ht_error_set(error, HT_ERROR_INTERNAL, "zlib cannot be used");
    ht_status status = HT_OK;
    for (;;) {
        int code = step(&stream, end, &text);
        if (text.length > limit) {
            status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                     "unpacks to more than the limit of %zu bytes", limit);
            break;
        }
        if (code == Z_STREAM_END) {
            if (stream.next_in == end)
                break;
            code = inflateReset(&stream); /* another member follows */
        }
        if (code == Z_BUF_ERROR && stream.next_in == end) {
            status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                     "the gzip data is cut short; copy the file again");
            break;
        }
        if (code != Z_OK) {
            status = ht_error_set_at(error, HT_ERROR_INPUT, path, 0, 0,
                                     "the gzip data is damaged (%s); copy the file again",
                                     stream.msg ? stream.msg : "no details");
            break;
        }
    }
    inflateEnd(&stream);
    if (status != HT_OK) {
        ht_text_free(&text);
        return status;
    }
    *out_length = text.length;
    *out_data = ht_text_take(&text);
    return HT_OK;
}

void *ht_gzip_pack(const void *data, size_t length, size_t *out_length) {
    z_stream stream = {.next_in = (z_const Bytef *)data};
    if (deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        abort(); /* only out of memory */
    const unsigned char *end = (const unsigned char *)data + length;
    ht_text text = {0};
    int code = Z_OK;
    while (code != Z_STREAM_END) {
        unsigned char chunk[CHUNK];
        size_t left = (size_t)(end - stream.next_in);
        stream.avail_in = left > (1u << 30) ? 1u << 30 : (uInt)left;
        stream.next_out = chunk;
        stream.avail_out = CHUNK;
        code = deflate(&stream, left == stream.avail_in ? Z_FINISH : Z_NO_FLUSH);
        ht_text_append_n(&text, (const char *)chunk, CHUNK - stream.avail_out);
    }
    deflateEnd(&stream);
    *out_length = text.length;
    return ht_text_take(&text);
}
