#include "refactor/transformations/coarsen/coarsen_access.h"

#include "refactor/kernel/syntax_value.h"
#include "refactor/plan/plan.h"

bool ht_vectors_alignable(const ht_vector_access *access) {
    size_t size = ht_syntax_size(access->node);
    return size > 0 && (size & (size - 1)) == 0;
}

/* The writing of accesses. */
typedef struct accessing {
    const ht_vectors *vectors;
    size_t like;
    ht_vectors_write_element *element;
    void *context;
    ht_writer *writer;
} accessing;

static void write_element(const accessing *in, const ht_vector_access *access) {
    in->element(in->context, access->node, in->writer);
}

/* Writes (size_t)&in[i] % sizeof(float_pack) == 0 */
static void write_aligned_test(const accessing *in, const ht_vector_access *access) {
    ht_writer_printf(in->writer, "(size_t)&");
    write_element(in, access);
    ht_writer_printf(in->writer, " %% sizeof(%s) == 0", access->pack);
}

/* Writes *(float_pack *)__builtin_assume_aligned(&out[i], sizeof(float_pack)); in a template, of
 * which a parameter may get other values, the largest power of two in that size. */
static void write_aligned(const accessing *in, const ht_vector_access *access, bool store) {
    ht_writer_printf(in->writer, "*(%s%s *)__builtin_assume_aligned(&", store ? "" : "const ",
                     access->pack);
    write_element(in, access);
    ht_writer_printf(in->writer, ", $?{1}{sizeof(%s) & -sizeof(%s)}{sizeof(%s)})", access->pack,
                     access->pack, access->pack);
}

/* Writes what stands ahead of an access at any address: the aligned one, where the address is. The
 * two are written with and without the parameter's name, in the template and in a source. */
static void write_aligned_first(const accessing *in, const ht_vector_access *access, bool store) {
    const char *aligned = in->vectors->aligned;
    if (!aligned || !ht_vectors_alignable(access))
        return;
    ht_writer_printf(in->writer, "$?{%s}{%s%s && ", aligned, store ? "if (" : "", aligned);
    for (int pass = 0; pass < 2; ++pass) {
        ht_writer_printf(in->writer, pass && store ? "if (" : "");
        write_aligned_test(in, access);
        ht_writer_printf(in->writer, store ? ")" : " ? ");
        in->writer->depth += store;
        if (store)
            ht_writer_line(in->writer, in->like);
        write_aligned(in, access, store);
        in->writer->depth -= store;
        if (store) {
            ht_writer_printf(in->writer, " = %s;", access->name);
            ht_writer_open(in->writer, in->like, "else");
            ht_writer_line(in->writer, in->like);
            --in->writer->depth;
        } else
            ht_writer_printf(in->writer, " : ");
        ht_writer_printf(in->writer, pass ? "}" : "}{");
    }
}

void ht_vectors_access(const ht_vectors *vectors, bool store, size_t like,
                       ht_vectors_write_element *element, void *context, ht_writer *writer) {
    const accessing in = {vectors, like, element, context, writer};
    for (size_t i = 0; i < vectors->count; ++i) {
        const ht_vector_access *access = &vectors->items[i];
        if (store ? !access->store : !access->load)
            continue;
        ht_writer_line(writer, like);
        if (!store)
            ht_writer_printf(writer, access->at_load ? "%s %s = " : "%s%s = ",
                             access->at_load ? access->pack : "", access->name);
        write_aligned_first(&in, access, store);
        ht_writer_printf(writer, store ? "*(%s *)&" : "*(const %s *)&", access->pack);
        write_element(&in, access);
        ht_writer_printf(writer, store ? " = %s;" : ";", access->name);
    }
}

/* GPUs of AMD, and the host, access global memory at any multiple of 4 bytes; on NVIDIA's a wide
 * access has to be aligned, else the compiler makes several of it. */
void ht_vectors_align(ht_plan *plan, const char *aligned, const char *param) {
    ht_plan_param(plan, aligned, "false, true", "false");
    ht_plan_require(plan, "!%s || %s > 1 && " HT_PLAN_NVIDIA, aligned, param);
    ht_plan_require(plan, "%s || %s == 1 || " HT_PLAN_NOT_NVIDIA, aligned, param);
}
