#include "base/parsed_trim.h"

#include "base/file.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* https://llvm.org/docs/BitCodeFormat.html; the numbers of records are clang's (ASTBitCodes.h). */
enum { END_BLOCK, ENTER_BLOCK, DEFINE_ABBREVIATION, UNABBREVIATED, FIRST_ABBREVIATION };
enum { FIXED = 1, VARIABLE, ARRAY, LETTER, BLOB };
enum { OUTER_WIDTH = 2, TREE_BLOCK = 8, TREE_ABBREVIATIONS = 64, LIST = 64 };
enum { CHUNK = 6, WORD = 32 };

/* A place in the stream. Past its end all bits are 0, and `at` stays there. */
typedef struct bits {
    const unsigned char *data;
    size_t count, at;
} bits;

static void move(bits *in, uint64_t bits) {
    in->at = bits < in->count - in->at ? in->at + (size_t)bits : in->count;
}

static uint64_t fixed(bits *in, unsigned width) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width && in->at + i < in->count; ++i) {
        size_t at = in->at + i;
        value |= (uint64_t)(in->data[at / 8] >> at % 8 & 1) << i % 64;
    }
    move(in, width);
    return value;
}

/* Reads a number in chunks, of which each but the last has its highest bit set. */
static uint64_t variable(bits *in, unsigned width) {
    if (width < 2)
        return fixed(in, width);
    uint64_t value = 0, more = UINT64_C(1) << (width - 1);
    for (unsigned shift = 0; shift < 64; shift += width - 1) {
        uint64_t chunk = fixed(in, width);
        value |= (chunk & (more - 1)) << shift;
        if (!(chunk & more))
            break;
    }
    return value;
}

static void align(bits *in) {
    move(in, (WORD - in->at % WORD) % WORD);
}

/* How an operand of an abbreviated record is written. */
typedef struct operand {
    bool literal; /* not written at all */
    unsigned encoding, width;
} operand;

static operand read_operand(bits *definition) {
    operand is = {.literal = fixed(definition, 1)};
    if (is.literal) {
        variable(definition, 8);
        return is;
    }
    is.encoding = (unsigned)fixed(definition, 3);
    if (is.encoding == FIXED || is.encoding == VARIABLE)
        is.width = (unsigned)variable(definition, 5) % 65;
    return is;
}

static void skip_value(bits *in, operand is) {
    if (is.literal)
        return;
    if (is.encoding == VARIABLE)
        variable(in, is.width);
    else
        move(in, is.encoding == LETTER ? CHUNK : is.width);
}

static void skip_abbreviated(bits *in, bits definition) {
    uint64_t left = variable(&definition, 5);
    while (left-- > 0 && definition.at < definition.count) {
        operand is = read_operand(&definition);
        if (!is.literal && is.encoding == ARRAY) {
            operand of = read_operand(&definition);
            for (uint64_t i = variable(in, CHUNK); i > 0 && in->at < in->count; --i)
                skip_value(in, of);
            return;
        }
        if (!is.literal && is.encoding == BLOB) {
            uint64_t bytes = variable(in, CHUNK);
            align(in);
            move(in, bytes < SIZE_MAX / 8 ? 8 * bytes : SIZE_MAX);
            align(in);
            return;
        }
        skip_value(in, is);
    }
}

static void skip_definition(bits *in) {
    for (uint64_t left = variable(in, 5); left > 0 && in->at < in->count; --left)
        read_operand(in);
}

/* The head of a block: its number, and the width of the codes in it. Returns where it ends. */
static size_t enter(bits *in, uint64_t *out_block, unsigned *out_width) {
    *out_block = variable(in, 8);
    *out_width = (unsigned)variable(in, 4) % 65;
    align(in);
    uint64_t words = fixed(in, WORD);
    return in->count - in->at < words * WORD ? in->count : in->at + (size_t)words * WORD;
}

/* Passes over a record that is written without an abbreviation. Returns true if it is the list,
 * with the place of its code. */
static bool is_list(bits *in, size_t *out_code) {
    *out_code = in->at;
    if (variable(in, CHUNK) == LIST)
        return true;
    for (uint64_t left = variable(in, CHUNK); left > 0 && in->at < in->count; --left)
        variable(in, CHUNK);
    return false;
}

/* Finds the list in the block of the syntax tree, whose records `in` is ahead of. */
static bool find_list(bits *in, unsigned width, size_t *out_code) {
    bits definitions[TREE_ABBREVIATIONS];
    size_t count = 0;
    while (in->at < in->count) {
        uint64_t code = fixed(in, width), block;
        unsigned inner;
        if (code == END_BLOCK || (code == DEFINE_ABBREVIATION && count == TREE_ABBREVIATIONS) ||
            (code >= FIRST_ABBREVIATION && code - FIRST_ABBREVIATION >= count))
            return false;
        if (code == ENTER_BLOCK) {
            in->at = enter(in, &block, &inner);
        } else if (code == DEFINE_ABBREVIATION) {
            definitions[count++] = *in;
            skip_definition(in);
        } else if (code >= FIRST_ABBREVIATION) {
            skip_abbreviated(in, definitions[code - FIRST_ABBREVIATION]);
        } else if (is_list(in, out_code)) {
            return true;
        }
    }
    return false;
}

bool ht_parsed_trim(unsigned char *file, size_t size) {
    static const char magic[] = "CPCH";
    bits in = {file, 8 * size, 8 * (sizeof magic - 1)};
    if (size < sizeof magic || memcmp(file, magic, sizeof magic - 1) != 0)
        return false;
    while (in.at < in.count && fixed(&in, OUTER_WIDTH) == ENTER_BLOCK) {
        uint64_t block;
        unsigned width;
        size_t end = enter(&in, &block, &width), code;
        if (block != TREE_BLOCK) {
            in.at = end;
            continue;
        }
        if (!find_list(&in, width, &code) || code + 2 * CHUNK > in.count)
            return false;
        /* The second of two chunks: what the first is worth stays. */
        for (size_t at = code + CHUNK; at < code + 2 * CHUNK - 1; ++at)
            file[at / 8] |= (unsigned char)(1U << at % 8);
        return true;
    }
    return false;
}

bool ht_parsed_trim_file(const char *path) {
    char *data = NULL;
    size_t length = 0;
    bool trimmed = ht_file_read(path, 0, &data, &length, NULL) == HT_OK &&
                   ht_parsed_trim((unsigned char *)data, length) &&
                   ht_file_write(path, data, length, NULL) == HT_OK;
    free(data);
    return trimmed;
}
