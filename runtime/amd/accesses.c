#include "runtime/amd/accesses.h"

#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "runtime/amd/isa/disassembly.h"
#include "runtime/amd/isa/launch.h"
#include "runtime/amd/metadata.h"
#include "runtime/amd/target.h"

#include <stdlib.h>
#include <string.h>

/* Compilers read arguments by whole lines of memory, of which the last has room. */
enum { ARGUMENT_UNIT = 64, PACKET_SIZE = 64, STEPS_MAX = 50000000, SAMPLE_SEED = 1 };
/* For each block that is followed this many are tried whether they work, and no fewer than all of a
 * small grid; more where hardly any does, up to about the last number. */
enum { SCOUTS = 64, SCOUTS_LEAST = 4096, SCOUTS_MOST = 1 << 16 };
/* Half a minute's work. */
static const uint64_t instructions_max = 500000000;
/* Outputs that take more than this are not marked element by element. */
static const uint64_t marked_max = UINT64_C(1) << 33;

/* The state of one count. */
typedef struct subject {
    const ht_counted_launch *launch;
    ht_amd_metadata metadata; /* owned */
    const ht_amd_kernel *described;
    ht_isa_kernel kernel; /* owned */
    ht_isa_memory memory; /* owned */
    uint8_t *arguments;   /* owned; lies at the kernel's argument pointer */
    uint8_t *hidden;      /* owned; bytes of it that are unknown */
    uint8_t packet[PACKET_SIZE], packet_hidden[PACKET_SIZE];
} subject;

static void put(uint8_t *bytes, uint8_t *hidden, size_t at, uint64_t value, size_t size) {
    memcpy(bytes + at, &value, size);
    memset(hidden + at, 0, size);
}

/* Fills the dispatch packet: the block's threads, and the grid's. */
static void fill_packet(subject *self) {
    const ht_geometry *geometry = &self->launch->geometry;
    memset(self->packet_hidden, 1, sizeof self->packet_hidden);
    for (size_t axis = 0; axis < 3; axis++) {
        put(self->packet, self->packet_hidden, 4 + 2 * axis, geometry->block[axis], 2);
        put(self->packet, self->packet_hidden, 12 + 4 * axis,
            (uint64_t)geometry->grid[axis] * geometry->block[axis], 4);
    }
}

/* Fills in what code objects of version 5 pass after the kernel's own arguments. Those that are not
 * here stay unknown. */
static void fill_hidden(subject *self, const ht_amd_argument *argument) {
    static const char axes[] = "xyz";
    const ht_geometry *geometry = &self->launch->geometry;
    size_t length = strlen(argument->kind);
    const char *place = strchr(axes, argument->kind[length - 1]);
    size_t axis = place ? (size_t)(place - axes) : 0;
    const struct {
        const char *start;
        uint64_t value;
    } known[] = {{"hidden_block_count_", geometry->grid[axis]},
                 {"hidden_group_size_", geometry->block[axis]},
                 {"hidden_remainder_", 0},
                 {"hidden_global_offset_", 0},
                 {"hidden_grid_dims", 3}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strncmp(argument->kind, known[i].start, strlen(known[i].start)) == 0)
            put(self->arguments, self->hidden, argument->offset, known[i].value,
                argument->size < 8 ? argument->size : 8);
}

static ht_status fill_given(subject *self, const ht_amd_argument *place, size_t index,
                            ht_error *error) {
    if (index >= self->launch->argument_count)
        return ht_error_set(error, HT_ERROR_COMPILE, "the code has more arguments than the launch");
    const ht_kernel_argument *given = &self->launch->arguments[index];
    uint64_t address = HT_ISA_BUFFER_BASE(index);
    const void *value = given->value ? given->value : &address;
    uint64_t size = given->value ? given->size : sizeof address;
    if (place->size != size)
        return ht_error_set(error, HT_ERROR_COMPILE,
                            "argument %zu has %u bytes in the code and %llu in the launch",
                            index + 1, place->size, (unsigned long long)size);
    memcpy(self->arguments + place->offset, value, size);
    memset(self->hidden + place->offset, 0, size);
    return HT_OK;
}

static ht_status fill_arguments(subject *self, size_t *out_size, ht_error *error) {
    const ht_amd_kernel *kernel = self->described;
    size_t size = kernel->kernarg_segment_size > 0 ? (size_t)kernel->kernarg_segment_size : 0;
    size_t given = 0;
    ht_status status = HT_OK;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        size_t end = (size_t)kernel->arguments[i].offset + kernel->arguments[i].size;
        size = end > size ? end : size;
    }
    if (size > 1 << 20)
        return ht_error_set(error, HT_ERROR_COMPILE, "arguments of %zu bytes", size);
    size = (size / ARGUMENT_UNIT + 1) * ARGUMENT_UNIT;
    *out_size = size;
    self->arguments = ht_alloc(size, 1);
    self->hidden = ht_alloc(size, 1);
    memset(self->hidden, 1, size);
    for (size_t i = 0; i < kernel->argument_count && !status; i++) {
        const ht_amd_argument *argument = &kernel->arguments[i];
        if (strncmp(argument->kind, "hidden_", 7) == 0)
            fill_hidden(self, argument);
        else
            status = fill_given(self, argument, given++, error);
    }
    if (!status && given != self->launch->argument_count)
        status =
            ht_error_set(error, HT_ERROR_COMPILE, "the code has fewer arguments than the launch");
    return status;
}

static ht_isa_region *add_region(ht_isa_memory *memory, ht_isa_region_kind kind, uint64_t base,
                                 uint64_t size) {
    HT_GROW(memory->regions, memory->count);
    memory->regions[memory->count] = (ht_isa_region){.kind = kind, .base = base, .size = size};
    return &memory->regions[memory->count++];
}

static ht_status add_buffers(subject *self, ht_accesses *accesses, ht_error *error) {
    const ht_counted_launch *launch = self->launch;
    for (size_t i = 0; i < launch->argument_count; i++) {
        const ht_kernel_argument *argument = &launch->arguments[i];
        if (argument->value)
            continue;
        ht_isa_region *region =
            add_region(&self->memory, HT_ISA_BUFFER, HT_ISA_BUFFER_BASE(i), argument->size);
        region->bytes = argument->contents;
        if (argument->output_unit == 0)
            continue;
        uint64_t elements = argument->size / argument->output_unit;
        if (elements > marked_max)
            return ht_error_set(error, HT_ERROR_UNSUPPORTED, "an output of %llu elements",
                                (unsigned long long)elements);
        region->element = argument->output_unit;
        region->written = ht_alloc(elements / 8 + 1, 1);
        accesses->output_size += elements;
    }
    return HT_OK;
}

static ht_status make_memory(subject *self, ht_amd_bytes elf, ht_accesses *accesses,
                             ht_error *error) {
    uint64_t image = 0;
    size_t size = 0;
    ht_status status = fill_arguments(self, &size, error);
    if (!status)
        status = ht_amd_elf_extent(elf, &image, error);
    if (status)
        return status;
    fill_packet(self);
    ht_isa_region *region = add_region(&self->memory, HT_ISA_LAUNCH, HT_ISA_ARGUMENT_BASE, size);
    region->bytes = self->arguments;
    region->unknown = self->hidden;
    region = add_region(&self->memory, HT_ISA_LAUNCH, HT_ISA_PACKET_BASE, PACKET_SIZE);
    region->bytes = self->packet;
    region->unknown = self->packet_hidden;
    add_region(&self->memory, HT_ISA_IMAGE, HT_ISA_IMAGE_BASE, image);
    self->memory.lds =
        (uint64_t)self->described->group_segment_fixed_size + self->launch->geometry.lds;
    return add_buffers(self, accesses, error);
}

/* Accepts the families whose instructions are modelled: gfx9, gfx103, gfx11, gfx12. */
static ht_status check_arch(const char *arch, bool *out_packed, bool *out_apart, ht_error *error) {
    const ht_amd_target *target = ht_amd_target_find(arch);
    static const char *const rdna[] = {"gfx103", "gfx11", "gfx12", NULL};
    static const char *const sharing[] = {"gfx11", "gfx12", NULL}; /* v0, by a thread's indices */
    bool apart = ht_text_starts(arch, rdna);
    if (!target || !(apart || strncmp(arch, "gfx9", 4) == 0))
        return ht_error_set(error, HT_ERROR_UNSUPPORTED,
                            "accesses are counted for architectures of the families gfx9, gfx103, "
                            "gfx11 and gfx12, such as gfx90a, and not for %s",
                            arch);
    *out_packed = target->unified_agprs || ht_text_starts(arch, sharing);
    *out_apart = apart;
    return HT_OK;
}

static bool calls_functions(const ht_isa_program *program) {
    for (size_t i = 0; i < program->count; i++)
        if (strcmp(program->instructions[i].name, "s_swappc_b64") == 0)
            return true;
    return false;
}

/* Reads the kernel's instructions, and those of all functions next to it when it calls one. */
static ht_status read_code(subject *self, ht_amd_bytes elf, const char *arch, const char *name,
                           ht_error *error) {
    ht_isa_program *program = &self->kernel.program;
    uint64_t address = 0, first = 0;
    ht_amd_bytes code;
    ht_status status = ht_amd_elf_symbol(elf, name, &address, &code, error);
    if (!status)
        status = ht_isa_disassemble(code, address, arch, program, error);
    if (status || !calls_functions(program))
        return status;
    ht_isa_program_free(program);
    status = ht_amd_elf_section_of(elf, address, &first, &code, error);
    if (!status)
        status = ht_isa_disassemble(code, first, arch, program, error);
    if (!status)
        self->kernel.first = ht_isa_program_find(program, address);
    return status;
}

static ht_status read_kernel(subject *self, ht_amd_bytes elf, const char *arch, const char *name,
                             ht_error *error) {
    ht_amd_bytes note, descriptor;
    bool packed = false, apart = false;
    ht_status status = check_arch(arch, &packed, &apart, error);
    if (!status)
        status = ht_amd_elf_metadata(elf, &note, error);
    if (!status)
        status = ht_amd_metadata_parse(note, &self->metadata, error);
    if (status)
        return status;
    self->described = ht_amd_metadata_kernel(&self->metadata, name);
    if (!self->described)
        return ht_error_set(error, HT_ERROR_COMPILE, "the code object has no kernel '%s'", name);
    status = ht_amd_elf_descriptor(elf, self->described->symbol, &descriptor, error);
    if (!status)
        status = ht_isa_entry_read(descriptor.data, packed, &self->kernel.entry, error);
    self->kernel.entry.stores_apart = apart;
    self->kernel.entry.block_in_traps = strncmp(arch, "gfx12", 5) == 0;
    if (!status)
        status = read_code(self, elf, arch, name, error);
    memcpy(self->kernel.block, self->launch->geometry.block, sizeof self->kernel.block);
    self->kernel.steps = STEPS_MAX;
    return status;
}

/* Blocks that are followed, by their numbers. */
typedef struct sample {
    uint64_t *items; /* owned */
    size_t count;
} sample;

/* Returns one number of each of `parts` equal parts of those below `total`, drawn at random: at
 * regular distances they might all be at the same side of the image. */
static sample sample_make(uint64_t total, uint64_t parts) {
    ht_random random;
    sample made = {.items = ht_alloc(parts + 1, sizeof *made.items), .count = parts};
    ht_random_seed(&random, SAMPLE_SEED);
    for (uint64_t i = 0; i < parts; i++) {
        uint64_t first = (uint64_t)((unsigned __int128)total * i / parts);
        uint64_t next = (uint64_t)((unsigned __int128)total * (i + 1) / parts);
        made.items[i] = first + (parts < total ? ht_random_below(&random, next - first) : 0);
    }
    return made;
}

static void index_of(const subject *self, uint64_t block, uint32_t out_index[3]) {
    const uint32_t *grid = self->launch->geometry.grid;
    out_index[0] = (uint32_t)(block % grid[0]);
    out_index[1] = (uint32_t)(block / grid[0] % grid[1]);
    out_index[2] = (uint32_t)(block / grid[0] / grid[1]);
}

static ht_status block_fault(ht_status status, const uint32_t index[3], ht_error *error) {
    if (status)
        ht_error_prefix(error, "block %u,%u,%u: ", index[0], index[1], index[2]);
    return status;
}

/* Returns those of a sample that work. */
static ht_status working_find(subject *self, const sample *of, sample *out, ht_error *error) {
    ht_status status = HT_OK;
    *out = (sample){.items = ht_alloc(of->count + 1, sizeof *out->items)};
    for (size_t i = 0; i < of->count && !status; i++) {
        uint32_t index[3];
        bool idle = false;
        index_of(self, of->items[i], index);
        status = block_fault(
            ht_isa_block_is_idle(&self->kernel, &self->memory, index, &idle, error), index, error);
        if (!status && !idle)
            out->items[out->count++] = of->items[i];
    }
    return status;
}

/* Draws blocks that work: `most`, or all of a sample that grows until they are as many. Where only
 * each eighth block works, since others have its outputs, a few blocks drawn from all may be idle
 * alone, and say that nothing has to be done. *out_working: how many there are in all. */
static ht_status working_draw(subject *self, uint64_t total, uint64_t most, sample *out,
                              double *out_working, ht_error *error) {
    uint64_t scouts = most && most < total / SCOUTS ? most * SCOUTS : total;
    ht_status status = HT_OK;
    if (scouts < SCOUTS_LEAST)
        scouts = total < SCOUTS_LEAST ? total : SCOUTS_LEAST;
    for (bool enough = false; !enough && !status;) {
        sample all = sample_make(total, scouts);
        free(out->items);
        status = working_find(self, &all, out, error);
        enough = (most && out->count >= most) || scouts == total || scouts >= SCOUTS_MOST;
        *out_working = (double)total * (double)out->count / (double)scouts;
        scouts = scouts < total / SCOUTS ? scouts * SCOUTS : total;
        free(all.items);
    }
    if (status || out->count)
        return status;
    free(out->items); /* all are alike */
    *out = sample_make(total, most && most < total ? most : total);
    *out_working = (double)total;
    return HT_OK;
}

/* How often blocks were drawn from each of the equal parts of an axis. */
typedef struct axis_draws {
    uint32_t *counts; /* owned */
    uint64_t parts, length;
} axis_draws;

typedef struct draws {
    const subject *of;
    axis_draws axes[3];
    ht_random random;
} draws;

static void draws_begin(draws *self, const subject *of, uint64_t most) {
    self->of = of;
    ht_random_seed(&self->random, SAMPLE_SEED);
    for (int axis = 0; axis < 3; axis++) {
        uint64_t length = of->launch->geometry.grid[axis], parts = length < most ? length : most;
        self->axes[axis] = (axis_draws){ht_alloc(parts, sizeof(uint32_t)), parts, length};
    }
}

static void draws_end(draws *self) {
    for (int axis = 0; axis < 3; axis++)
        free(self->axes[axis].counts);
}

/* Returns how often its parts of the axes were drawn from before, and adds to that. */
static uint64_t draws_count(const draws *self, uint64_t block, uint32_t added) {
    uint32_t index[3];
    uint64_t count = 0;
    index_of(self->of, block, index);
    for (int axis = 0; axis < 3; axis++) {
        const axis_draws *own = &self->axes[axis];
        uint32_t *place = &own->counts[index[axis] * own->parts / own->length];
        count += *place;
        *place += added;
    }
    return count;
}

/* Returns one of the blocks whose parts of the axes were drawn from least. */
static uint64_t draws_next(draws *self, const uint64_t *blocks, size_t count) {
    uint64_t drawn = 0, least = UINT64_MAX, alike = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t before = draws_count(self, blocks[i], 0);
        if (before > least)
            continue;
        alike = before < least ? 1 : alike + 1;
        least = before;
        if (ht_random_below(&self->random, alike) == 0)
            drawn = blocks[i];
    }
    draws_count(self, drawn, 1);
    return drawn;
}

/* Leaves `most` of them, one of each of as many equal parts. Where every fourth block along an axis
 * has less to do, since rows are no multiple of what a block does, every fourth of those that are
 * left is one of them. */
static void thin_out(const subject *self, sample *blocks, uint64_t most) {
    draws drawn;
    if (most == 0 || blocks->count <= most)
        return;
    draws_begin(&drawn, self, most);
    for (uint64_t part = 0; part < most; part++) {
        size_t first = (size_t)((unsigned __int128)blocks->count * part / most);
        size_t next = (size_t)((unsigned __int128)blocks->count * (part + 1) / most);
        blocks->items[part] = draws_next(&drawn, blocks->items + first, next - first);
    }
    blocks->count = most;
    draws_end(&drawn);
}

static ht_status follow(subject *self, const sample *blocks, ht_accesses *accesses,
                        ht_error *error) {
    ht_status status = HT_OK;
    for (size_t i = 0; i < blocks->count && !status; i++) {
        uint32_t index[3];
        index_of(self, blocks->items[i], index);
        status = block_fault(
            ht_isa_block_run(&self->kernel, &self->memory, index, &accesses->counts, error), index,
            error);
        if (!status && accesses->counts.instructions > instructions_max)
            status = ht_error_set(error, HT_ERROR_UNSUPPORTED,
                                  "%llu of %llu blocks took more than %llu instructions: ask for "
                                  "fewer blocks, or a smaller problem",
                                  (unsigned long long)i + 1, (unsigned long long)blocks->count,
                                  (unsigned long long)instructions_max);
    }
    return status;
}

/* Follows the blocks that work, or one from each of `blocks_max` equal parts of them. */
static ht_status run_blocks(subject *self, ht_accesses *accesses, ht_error *error) {
    const uint32_t *grid = self->launch->geometry.grid;
    uint64_t total = (uint64_t)grid[0] * grid[1] * grid[2];
    sample blocks = {0};
    accesses->blocks = total;
    ht_status status =
        working_draw(self, total, self->launch->blocks_max, &blocks, &accesses->working, error);
    thin_out(self, &blocks, self->launch->blocks_max);
    if (!status)
        status = follow(self, &blocks, accesses, error);
    free(blocks.items);
    return status;
}

ht_status ht_amd_accesses(const ht_device *device, const void *code, size_t code_size,
                          const char *lowered_name, const ht_counted_launch *launch,
                          ht_accesses *out_accesses, ht_error *error) {
    ht_amd_bytes elf;
    subject self = {.launch = launch};
    *out_accesses = (ht_accesses){0};
    ht_status status =
        ht_amd_bundle_find((ht_amd_bytes){code, code_size}, device->arch, &elf, error);
    if (!status)
        status = read_kernel(&self, elf, device->arch, lowered_name, error);
    if (!status)
        status = make_memory(&self, elf, out_accesses, error);
    if (!status)
        status = run_blocks(&self, out_accesses, error);
    for (size_t i = 0; i < self.memory.count; i++)
        if (self.memory.regions[i].kind == HT_ISA_BUFFER && self.memory.regions[i].read)
            out_accesses->input_bytes += self.memory.regions[i].size;
    ht_isa_program_free(&self.kernel.program);
    ht_isa_memory_free(&self.memory);
    ht_amd_metadata_free(&self.metadata);
    free(self.arguments);
    free(self.hidden);
    return status;
}
