#include "refactor/source/record.h"

#include "base/memory.h"
#include "refactor/source/ast.h"
#include "templates/expr/expr.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    ht_record *out;
    const char *prefix; /* "low." */
    ht_record_leaf way; /* its steps */
    size_t depth, next, width;
    bool begins;
    bool based;    /* it is a base: a program cannot name its members by their number */
    bool has_base; /* they are not numbered as in a list */
} reading;

static void problem(ht_record *record, char *words) {
    if (record->problem)
        free(words);
    else
        record->problem = words;
}

char *ht_record_name(CXType type) {
    type = ht_type_unqualified(clang_getCanonicalType(type));
    CXCursor parent = clang_getCursorSemanticParent(clang_getTypeDeclaration(type));
    char *name = ht_type_plain(type);
    for (; clang_isDeclaration(clang_getCursorKind(parent));
         parent = clang_getCursorSemanticParent(parent)) {
        enum CXCursorKind kind = clang_getCursorKind(parent);
        bool open = kind == CXCursor_Namespace || kind == CXCursor_StructDecl ||
                    kind == CXCursor_ClassDecl || kind == CXCursor_LinkageSpec;
        if (open)
            continue;
        free(name);
        return NULL;
    }
    if (!strpbrk(name, "()"))
        return name;
    free(name);
    return NULL;
}

static void record_fields(reading *in, CXType type);

CXType ht_record_element(CXType type, long long *out_count) {
    *out_count = 1;
    for (type = clang_getCanonicalType(type); type.kind == CXType_ConstantArray;
         type = clang_getCanonicalType(clang_getArrayElementType(type)))
        *out_count *= clang_getArraySize(type);
    return ht_type_unqualified(type);
}

static void leaf_add(reading *in, const char *path, CXCursor field, CXType type) {
    ht_record *out = in->out;
    if (out->count == HT_RECORD_FIELDS_MAX) {
        problem(out, ht_format("it has more than %d numbers", HT_RECORD_FIELDS_MAX));
        return;
    }
    HT_GROW(out->leaves, out->count);
    ht_record_leaf *leaf = &out->leaves[out->count++];
    *leaf = in->way;
    leaf->path = ht_strdup(path);
    leaf->place = in->based ? -1 : leaf->place;
    leaf->field = field;
    leaf->type = type;
}

/* Reads what a field, or an element of one, holds. `in`: the structure around, at that member. */
static void member_read(const reading *in, const char *path, CXCursor field, CXType type) {
    reading inner = *in;
    type = ht_type_unqualified(clang_getCanonicalType(type));
    char *name = ht_type_plain(type);
    bool vector = ht_type_size(name) > 0;
    free(name);
    if (++inner.depth > HT_RECORD_DEPTH_MAX) {
        problem(in->out, ht_format("its field '%s' is nested too deeply", path));
        return;
    }
    long long numbers;
    CXType element = ht_record_element(type, &numbers);
    if (type.kind == CXType_ConstantArray && numbers > HT_RECORD_APART_MAX &&
        element.kind >= CXType_FirstBuiltin && element.kind <= CXType_LastBuiltin)
        leaf_add(&inner, path, field, type);
    else if (type.kind == CXType_ConstantArray) {
        inner.way.step_count += !in->based;
        inner.width = (size_t)clang_getArraySize(type);
        for (size_t i = 0; i < inner.width && !in->out->problem; ++i) {
            char *element = ht_format("%s[%zu]", path, i);
            if (!in->based) {
                inner.way.steps[inner.way.step_count - 1] = i;
                inner.way.widths[inner.way.step_count - 1] = inner.width;
            }
            member_read(&inner, element, field, clang_getArrayElementType(type));
            inner.way.place += clang_Type_getSizeOf(clang_getArrayElementType(type));
            free(element);
        }
    } else if (type.kind == CXType_Record && !vector) {
        char *prefix = ht_format("%s.", path);
        inner.prefix = prefix;
        record_fields(&inner, type);
        free(prefix);
    } else if (type.kind == CXType_LValueReference || type.kind == CXType_RValueReference)
        problem(in->out, ht_format("its field '%s' is a reference", path));
    else
        leaf_add(&inner, path, field, type);
}

static enum CXVisitorResult on_counted(CXCursor field, CXClientData data) {
    (void)field;
    ++*(size_t *)data;
    return CXVisit_Continue;
}

static enum CXVisitorResult on_field(CXCursor field, CXClientData data) {
    reading *in = data;
    char *name = ht_cursor_name(field), *path = ht_format("%s%s", in->prefix, name);
    enum CX_CXXAccessSpecifier access = clang_getCXXAccessSpecifier(field);
    in->begins = in->begins || clang_Cursor_getOffsetOfField(field) == 0;
    reading at = *in;
    if (!in->based && at.way.step_count < HT_RECORD_DEPTH_MAX) {
        at.way.steps[at.way.step_count] = in->next;
        at.way.widths[at.way.step_count++] = in->has_base ? 0 : in->width;
    }
    at.way.place += clang_Cursor_getOffsetOfField(field) / 8;
    ++in->next;
    if (access == CX_CXXPrivate || access == CX_CXXProtected)
        problem(in->out, ht_format("its field '%s' is not public", path));
    else if (clang_Cursor_isBitField(field))
        problem(in->out, ht_format("its field '%s' is a bit-field", path));
    else if (!name[0] || strchr(name, '('))
        problem(in->out, ht_strdup("it has a member without a name"));
    else
        member_read(&at, path, field, clang_getCursorType(field));
    free(path);
    free(name);
    return in->out->problem ? CXVisit_Break : CXVisit_Continue;
}

/* Returns true if copying or destroying runs code that somebody wrote. */
static bool runs_code(CXCursor member) {
    enum CXCursorKind kind = clang_getCursorKind(member);
    if (kind == CXCursor_Destructor ||
        (kind == CXCursor_CXXMethod && ht_cursor_named(member, "operator=")))
        return !clang_CXXMethod_isDefaulted(member);
    return kind == CXCursor_Constructor && !clang_CXXMethod_isDefaulted(member) &&
           (clang_CXXConstructor_isCopyConstructor(member) ||
            clang_CXXConstructor_isMoveConstructor(member));
}

/* Reads the bases of a structure, as far as they hold anything. */
static void bases_read(reading *in, const ht_cursors *members) {
    for (size_t i = 0; i < members->count; ++i) {
        if (clang_getCursorKind(members->items[i]) != CXCursor_CXXBaseSpecifier)
            continue;
        reading base = *in;
        base.based = in->has_base = true;
        base.way.step_count = 0;
        record_fields(&base, clang_getCanonicalType(clang_getCursorType(members->items[i])));
        in->begins = in->begins || base.begins;
    }
}

static void record_fields(reading *in, CXType type) {
    CXCursor declaration = clang_getTypeDeclaration(type);
    ht_cursors members = ht_ast_children(declaration);
    long long size = clang_Type_getSizeOf(type);
    bool code = false, is_virtual = false;
    for (size_t i = 0; i < members.count; ++i) {
        code = code || runs_code(members.items[i]);
        is_virtual = is_virtual || (clang_getCursorKind(members.items[i]) == CXCursor_CXXMethod &&
                                    clang_CXXMethod_isVirtual(members.items[i]));
    }
    if (clang_getCursorKind(declaration) == CXCursor_UnionDecl)
        problem(in->out, ht_strdup("it holds a union"));
    else if (size <= 0)
        problem(in->out, ht_strdup("its fields are not known here"));
    else if (code)
        problem(in->out, ht_strdup("its copies or its destructor run code of their own"));
    in->begins = in->has_base = false;
    in->next = in->width = 0;
    if (!in->out->problem) {
        bases_read(in, &members);
        clang_Type_visitFields(type, on_counted, &in->width);
        clang_Type_visitFields(type, on_field, in);
    }
    if ((!in->begins && size > 1) || is_virtual)
        problem(in->out, ht_strdup("it has bytes that no field names, as virtual classes do"));
    free(members.items);
}

void ht_record_read(CXType type, ht_record *out_record) {
    *out_record = (ht_record){0};
    reading in = {.out = out_record, .prefix = ""};
    record_fields(&in, ht_type_unqualified(clang_getCanonicalType(type)));
}

void ht_record_free(ht_record *record) {
    for (size_t i = 0; i < record->count; ++i)
        free(record->leaves[i].path);
    free(record->leaves);
    free(record->problem);
    *record = (ht_record){0};
}

const ht_record_leaf *ht_record_find(const ht_record *record, const char *path) {
    const ht_record_leaf *like = NULL;
    for (size_t i = 0; i < record->count; ++i) {
        const char *own = record->leaves[i].path;
        size_t length = strlen(own), given = strlen(path), both = length < given ? length : given;
        if (strncmp(own, path, both) != 0)
            continue;
        if (length == given)
            return &record->leaves[i];
        if (!like && (own[both] == '[' || (length < given && strchr("[.", path[both]))))
            like = &record->leaves[i];
    }
    return like;
}
