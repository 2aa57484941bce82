#include "predictor/data/tsv.h"

#include "base/memory.h"
#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK = 1 << 16, GZIP_WINDOW = 15 + 16 };

struct ht_tsv {
    char *name;
    FILE *file;                 /* NULL when in memory */
    const unsigned char *bytes; /* what is left of the memory */
    size_t byte_count;
    bool gzip, at_member_end, ended;
    z_stream stream;
    unsigned char input[CHUNK];
    char chunk[CHUNK]; /* unpacked */
    size_t chunk_at, chunk_length, total;
    ht_text line;
    int line_number;
    char **columns;
    size_t column_count;
    const char **cells;
};

static ht_status fail(const ht_tsv *tsv, ht_error *error, ht_status status, const char *message) {
    return ht_error_set_at(error, status, tsv->name, tsv->line_number, 0, "%s", message);
}

ht_status ht_tsv_fail(const ht_tsv *tsv, size_t column, ht_error *error, const char *format, ...) {
    char message[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    return ht_error_set_at(error, HT_ERROR_INPUT, tsv->name, tsv->line_number,
                           (int)(tsv->cells[column] - tsv->line.data) + 1, "column %.80s: %s",
                           tsv->columns[column], message);
}

/* Reads packed bytes from the file or from memory; 0 at the end. */
static size_t read_raw(ht_tsv *tsv, void *out, size_t room) {
    if (tsv->file)
        return fread(out, 1, room, tsv->file);
    size_t length = tsv->byte_count < room ? tsv->byte_count : room;
    if (length)
        memcpy(out, tsv->bytes, length);
    tsv->bytes += length;
    tsv->byte_count -= length;
    return length;
}

/* Unpacks one more part of the gzip members. */
static ht_status unpack(ht_tsv *tsv, ht_error *error) {
    z_stream *stream = &tsv->stream;
    stream->next_out = (unsigned char *)tsv->chunk;
    stream->avail_out = CHUNK;
    while (stream->avail_out == CHUNK) {
        if (!stream->avail_in) {
            stream->next_in = tsv->input;
            stream->avail_in = (uInt)read_raw(tsv, tsv->input, CHUNK);
        }
        if (!stream->avail_in) {
            tsv->ended = true;
            if (tsv->at_member_end)
                break;
            return fail(tsv, error, HT_ERROR_INPUT,
                        "the gzip data is cut short; copy the file again");
        }
        if (tsv->at_member_end)
            inflateReset(stream);
        int code = inflate(stream, Z_NO_FLUSH);
        tsv->at_member_end = code == Z_STREAM_END;
        if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR)
            return fail(tsv, error, HT_ERROR_INPUT,
                        "the gzip data is damaged; copy the file again");
    }
    tsv->chunk_length = CHUNK - stream->avail_out;
    return HT_OK;
}

/* Refills the chunk; empty at the end. */
static ht_status fill(ht_tsv *tsv, ht_error *error) {
    tsv->chunk_at = tsv->chunk_length = 0;
    if (tsv->ended)
        return HT_OK;
    if (tsv->gzip) {
        ht_status status = unpack(tsv, error);
        if (status != HT_OK)
            return status;
    } else {
        tsv->chunk_length = read_raw(tsv, tsv->chunk, CHUNK);
        tsv->ended = !tsv->chunk_length;
    }
    if (tsv->file && ferror(tsv->file))
        return fail(tsv, error, HT_ERROR_IO, strerror(errno));
    tsv->total += tsv->chunk_length;
    if (tsv->total > HT_TSV_BYTES_MAX)
        return fail(tsv, error, HT_ERROR_INPUT,
                    "the file unpacks to more than 1 GiB; split it into several files");
    return HT_OK;
}

/* Reads the next line without its end; *out_end at the end of the file. */
static ht_status read_line(ht_tsv *tsv, bool *out_end, ht_error *error) {
    ht_text *line = &tsv->line;
    bool complete = false;
    line->length = 0;
    ht_text_append(line, "");
    ++tsv->line_number;
    for (;;) {
        if (tsv->chunk_at == tsv->chunk_length) {
            ht_status status = fill(tsv, error);
            if (status != HT_OK)
                return status;
            if (!tsv->chunk_length)
                break;
        }
        const char *start = tsv->chunk + tsv->chunk_at;
        size_t left = tsv->chunk_length - tsv->chunk_at;
        const char *newline = memchr(start, '\n', left);
        size_t length = newline ? (size_t)(newline - start) : left;
        if (line->length + length > HT_TSV_LINE_MAX)
            return fail(tsv, error, HT_ERROR_INPUT,
                        "the line is longer than 1 MiB: is this a table of tab-separated values?");
        ht_text_append_n(line, start, length);
        tsv->chunk_at += length + (newline != NULL);
        complete = newline != NULL;
        if (complete)
            break;
    }
    if (strlen(line->data) != line->length)
        return fail(tsv, error, HT_ERROR_INPUT,
                    "the line holds a NUL byte: is this a table of tab-separated values?");
    if (line->length && line->data[line->length - 1] == '\r')
        line->data[--line->length] = 0;
    *out_end = !complete && !line->length;
    return HT_OK;
}

/* Cuts the line at its tabs; returns the number of cells, of which `room` are kept. */
static size_t cut(char *line, const char **cells, size_t room) {
    size_t count = 0;
    for (;;) {
        if (count < room)
            cells[count] = line;
        ++count;
        line = strchr(line, '\t');
        if (!line)
            return count;
        *line++ = 0;
    }
}

static ht_status check_columns(const ht_tsv *tsv, ht_error *error) {
    for (size_t i = 0; i < tsv->column_count; ++i) {
        if (!tsv->columns[i][0])
            return ht_error_set_at(error, HT_ERROR_INPUT, tsv->name, tsv->line_number, 0,
                                   "column %zu of the header has no name", i + 1);
        for (size_t j = 0; j < i; ++j)
            if (!strcmp(tsv->columns[i], tsv->columns[j]))
                return ht_error_set_at(error, HT_ERROR_INPUT, tsv->name, tsv->line_number, 0,
                                       "the header names column %.80s twice", tsv->columns[i]);
    }
    return HT_OK;
}

static ht_status read_header(ht_tsv *tsv, ht_error *error) {
    bool end;
    ht_status status = read_line(tsv, &end, error);
    if (status != HT_OK)
        return status;
    if (end || !tsv->line.length)
        return fail(tsv, error, HT_ERROR_INPUT,
                    "the first line must name the columns, separated by tabs");
    const char **names = ht_alloc(HT_TSV_COLUMNS_MAX, sizeof *names);
    size_t count = cut(tsv->line.data, names, HT_TSV_COLUMNS_MAX);
    if (count > HT_TSV_COLUMNS_MAX) {
        free(names);
        return ht_error_set_at(error, HT_ERROR_INPUT, tsv->name, tsv->line_number, 0,
                               "the header names more than %d columns", HT_TSV_COLUMNS_MAX);
    }
    tsv->cells = ht_alloc(count, sizeof *tsv->cells);
    tsv->columns = ht_alloc(count, sizeof *tsv->columns);
    tsv->column_count = count;
    for (size_t i = 0; i < count; ++i)
        tsv->columns[i] = ht_strdup(names[i]);
    free(names);
    return check_columns(tsv, error);
}

/* Takes the file, finds out whether it is packed, and reads the header. */
static ht_status start(ht_tsv *tsv, ht_tsv **out_tsv, ht_error *error) {
    size_t length = read_raw(tsv, tsv->input, CHUNK);
    ht_status status = HT_OK;
    if (length >= 2 && tsv->input[0] == 0x1f && tsv->input[1] == 0x8b) {
        tsv->stream.next_in = tsv->input;
        tsv->stream.avail_in = (uInt)length;
        if (inflateInit2(&tsv->stream, GZIP_WINDOW) == Z_OK)
            tsv->gzip = true;
        else
            status = fail(tsv, error, HT_ERROR_INTERNAL, "zlib cannot be used");
    } else {
        memcpy(tsv->chunk, tsv->input, length);
        tsv->chunk_length = tsv->total = length;
    }
    if (status == HT_OK && tsv->file && ferror(tsv->file))
        status = fail(tsv, error, HT_ERROR_IO, strerror(errno));
    if (status == HT_OK)
        status = read_header(tsv, error);
    if (status == HT_OK)
        *out_tsv = tsv;
    else
        ht_tsv_close(tsv);
    return status;
}

ht_status ht_tsv_open(const char *path, ht_tsv **out_tsv, ht_error *error) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return ht_error_set_at(error, HT_ERROR_IO, path, 0, 0, "%s", strerror(errno));
    ht_tsv *tsv = ht_alloc(1, sizeof *tsv);
    tsv->name = ht_strdup(path);
    tsv->file = file;
    return start(tsv, out_tsv, error);
}

ht_status ht_tsv_memory(const void *data, size_t length, const char *name, ht_tsv **out_tsv,
                        ht_error *error) {
    ht_tsv *tsv = ht_alloc(1, sizeof *tsv);
    tsv->name = ht_strdup(name);
    tsv->bytes = data;
    tsv->byte_count = length;
    return start(tsv, out_tsv, error);
}

void ht_tsv_close(ht_tsv *tsv) {
    if (!tsv)
        return;
    if (tsv->file)
        fclose(tsv->file);
    if (tsv->gzip)
        inflateEnd(&tsv->stream);
    ht_strings_free(tsv->columns, tsv->column_count);
    free(tsv->cells);
    ht_text_free(&tsv->line);
    free(tsv->name);
    free(tsv);
}

size_t ht_tsv_column_count(const ht_tsv *tsv) {
    return tsv->column_count;
}

const char *ht_tsv_column(const ht_tsv *tsv, size_t column) {
    return tsv->columns[column];
}

ht_status ht_tsv_next(ht_tsv *tsv, const char *const **out_cells, ht_error *error) {
    bool end;
    do {
        ht_status status = read_line(tsv, &end, error);
        if (status != HT_OK)
            return status;
    } while (!end && !tsv->line.length);
    *out_cells = NULL;
    if (end)
        return HT_OK;
    size_t count = cut(tsv->line.data, tsv->cells, tsv->column_count);
    if (count != tsv->column_count)
        return ht_error_set_at(error, HT_ERROR_INPUT, tsv->name, tsv->line_number, 0,
                               "the line has %zu cells, the header names %zu columns", count,
                               tsv->column_count);
    *out_cells = tsv->cells;
    return HT_OK;
}
