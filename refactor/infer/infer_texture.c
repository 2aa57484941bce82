#include "refactor/infer/infer_texture.h"

#include "base/memory.h"
#include "refactor/source/ast.h"
#include "refactor/source/texture_names.h"

#include <stdlib.h>
#include <string.h>

enum { TEXEL_BYTES = 4 * sizeof(float) };

typedef struct size {
    const char *field;
    int value;
} size;

/* Returns the sizes of what a slot is a field of; NULL: it is no texture or surface. */
static const size *sizes_of(const ht_infer_slot *slot) {
    static const size texture[] = {
        {"texels", 4 * HT_TEXTURE_WIDTH * HT_TEXTURE_HEIGHT * HT_TEXTURE_DEPTH},
        {"width", HT_TEXTURE_WIDTH},
        {"height", HT_TEXTURE_HEIGHT},
        {"depth", HT_TEXTURE_DEPTH},
        {NULL, 0}};
    static const size surface[] = {
        {"bytes", TEXEL_BYTES * HT_TEXTURE_WIDTH * HT_TEXTURE_HEIGHT * HT_TEXTURE_DEPTH},
        {"width", TEXEL_BYTES * HT_TEXTURE_WIDTH},
        {"height", HT_TEXTURE_HEIGHT},
        {"depth", HT_TEXTURE_DEPTH},
        {NULL, 0}};
    CXCursor parent =
        slot->leaf ? clang_getCursorSemanticParent(slot->leaf->field) : clang_getNullCursor();
    return ht_cursor_named(parent, HT_TEXTURE_TYPE)   ? texture
           : ht_cursor_named(parent, HT_SURFACE_TYPE) ? surface
                                                      : NULL;
}

void ht_infer_textures(ht_infer *in) {
    for (size_t i = 0; i < in->slots.count; ++i) {
        const size *sizes = sizes_of(&in->slot_records[i]);
        char **value = in->slots.items[i].is_pointer ? &in->extents[i] : &in->scalars[i];
        for (; sizes && sizes->field; ++sizes)
            if (ht_cursor_named(in->slot_records[i].leaf->field, sizes->field)) {
                free(*value);
                *value = ht_format("%d", sizes->value);
                ht_text_append(&in->origins[i], "chosen");
            }
    }
}

long long ht_infer_reference_count(CXCursor variable) {
    CXType type = clang_getCanonicalType(clang_getCursorType(variable));
    bool reference = type.kind == CXType_Record &&
                     ht_cursor_named(clang_getTypeDeclaration(type), HT_REFERENCE_TYPE);
    return reference ? clang_Type_getSizeOf(type) / (long long)sizeof(float) : 0;
}
