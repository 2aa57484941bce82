#include "refactor/rewrite/written_compare.h"
#include "base/memory.h"
#include "base/text.h"
#include "refactor/rewrite/written.h"
#include "templates/bind_check.h"

#include <stdlib.h>
#include <string.h>

static void extent_print(const char *what, const uint32_t extent[3], ht_text *out) {
    ht_text_printf(out, "%s %u x %u x %u", what, extent[0], extent[1], extent[2]);
}

/* Returns true if this is the original's grid in new blocks: the measured grid may end with the
 * last item, earlier than this one. */
static bool is_rescaled(const ht_written_launch *launch, const ht_binding *tuned,
                        const ht_config *config, const ht_geometry *original, int axis,
                        uint32_t grid) {
    int64_t covers = 0;
    if (!launch->covers[axis] ||
        ht_binding_evaluate(tuned, config, launch->covers[axis], &covers, NULL) != HT_OK ||
        covers < 1)
        return false;
    int64_t threads = (int64_t)original->grid[axis] * original->block[axis];
    return (threads + covers - 1) / covers == grid;
}

static bool is_same(const ht_written_launch *launch, const ht_binding *tuned,
                    const ht_config *config, const ht_geometry *measured,
                    const ht_geometry *written) {
    const ht_binding own = {launch->template, tuned->problem, tuned->device};
    const ht_config plain = ht_config_default(launch->template);
    ht_geometry original;
    bool known = ht_binding_geometry(&own, &plain, launch->template->reference_launches, &original,
                                     NULL) == HT_OK;
    bool same = measured->lds == written->lds;
    for (int axis = 0; axis < 3 && same; ++axis)
        same =
            measured->block[axis] == written->block[axis] &&
            (measured->grid[axis] == written->grid[axis] ||
             (known && is_rescaled(launch, tuned, config, &original, axis, written->grid[axis])));
    return same;
}

static char *geometry_difference(const ht_geometry *measured, const ht_geometry *written,
                                 const char *expected) {
    ht_text text = {0};
    ht_text_append(&text, "it launches ");
    extent_print("blocks of", written->block, &text);
    extent_print(" in a grid of", written->grid, &text);
    ht_text_printf(&text, " with %u bytes of shared memory, but %s ", written->lds, expected);
    extent_print("blocks of", measured->block, &text);
    extent_print(" in a grid of", measured->grid, &text);
    ht_text_printf(&text, " with %u bytes", measured->lds);
    return ht_text_take(&text);
}

/* Returns the difference between template parameters of the file's kernel and those of the same
 * name in the tuned template, in words; NULL: there is none. free(). */
static char *instance_difference(const ht_written_launch *launch, const ht_binding *written,
                                 const ht_template *tuned, const ht_config *config) {
    const ht_config plain = ht_config_default(launch->template);
    for (size_t i = 0; i < tuned->param_count; ++i) {
        const ht_param *param = &tuned->params[i];
        int64_t wanted = param->values[config->choice[i]].number, value = 0;
        for (size_t k = 0; param->kind != HT_PARAM_TYPE && k < launch->argument_count; ++k) {
            const ht_written_argument *own = &launch->arguments[k];
            if (strcmp(own->name, param->name) != 0 || !own->value)
                continue;
            if (ht_binding_evaluate(written, &plain, own->value, &value, NULL) != HT_OK)
                return ht_format("its template argument %s has no value", own->name);
            if (value != wanted)
                return ht_format("it launches the kernel with %s=%lld, but measured was %s=%lld",
                                 own->name, (long long)value, own->name, (long long)wanted);
        }
    }
    return NULL;
}

/* Returns true if a condition of the launch holds, or has no value. */
static bool may_hold(const ht_written_launch *launch, const ht_expr *condition,
                     const ht_problem *problem, const ht_device_fields *device) {
    const ht_config plain = ht_config_default(launch->template);
    const ht_binding binding = {launch->template, problem, device};
    int64_t value = 1;
    return ht_binding_evaluate(&binding, &plain, condition, &value, NULL) != HT_OK || value != 0;
}

bool ht_written_launches(const ht_written_launch *launch, const ht_problem *problem,
                         const ht_device_fields *device) {
    return !launch->where || may_hold(launch, launch->where, problem, device);
}

char *ht_written_difference(const ht_written_launch *launch, const ht_template *tuned,
                            const ht_config *config, const ht_problem *problem,
                            const ht_device_fields *device) {
    const ht_binding measured = {tuned, problem, device};
    const ht_binding written = {launch->template, problem, device};
    const ht_config plain = ht_config_default(launch->template);
    ht_geometry wanted, own;
    ht_error error = {0};
    if (!ht_written_launches(launch, problem, device))
        return ht_strdup("it launches the original kernel, not the tuned one");
    if (ht_binding_geometry(&measured, config, &tuned->launches[0], &wanted, NULL) != HT_OK)
        return NULL;
    if (ht_written_refuses(launch, problem, device))
        return ht_strdup("it returns an error instead of launching the kernel");
    if (ht_binding_geometry(&written, &plain, &launch->template->launches[0], &own, &error) !=
        HT_OK)
        return ht_format("its launch has no geometry: %s", error.message);
    char *difference = is_same(launch, &measured, config, &wanted, &own)
                           ? NULL
                           : geometry_difference(&wanted, &own, "measured were");
    return difference ? difference : instance_difference(launch, &written, tuned, config);
}

char *ht_written_original_difference(const ht_written_launch *launch, const ht_problem *problem,
                                     const ht_device_fields *device) {
    const ht_binding binding = {launch->template, problem, device};
    const ht_config plain = ht_config_default(launch->template);
    const ht_launch *reference = launch->template->reference_launches;
    ht_geometry wanted, own;
    ht_error error = {0};
    if (ht_binding_geometry(&binding, &plain, reference, &wanted, NULL) != HT_OK)
        return NULL;
    if (ht_binding_geometry(&binding, &plain, launch->template->launches, &own, &error) != HT_OK)
        return ht_format("its launch has no geometry: %s", error.message);
    bool same = wanted.lds == own.lds && memcmp(wanted.block, own.block, sizeof own.block) == 0 &&
                memcmp(wanted.grid, own.grid, sizeof own.grid) == 0;
    return same ? NULL : geometry_difference(&wanted, &own, "the original's are");
}

bool ht_written_refuses(const ht_written_launch *launch, const ht_problem *problem,
                        const ht_device_fields *device) {
    return launch->refused && may_hold(launch, launch->refused, problem, device);
}

bool ht_written_original_fits(const ht_written_launch *launch, const ht_problem *problem,
                              const ht_device_fields *device) {
    const ht_binding binding = {launch->template, problem, device};
    const ht_config plain = ht_config_default(launch->template);
    const ht_launch *reference = launch->template->reference_launches;
    ht_geometry original;
    bool good = false;
    if (ht_binding_launch_fits(&binding, &plain, reference, &good, NULL, NULL) != HT_OK || !good ||
        ht_binding_geometry(&binding, &plain, reference, &original, NULL) != HT_OK)
        return false;
    for (int axis = 0; axis < 3; ++axis) /* the last block has an item at least */
        good = good &&
               (!launch->most[axis] ||
                (int64_t)(original.grid[axis] - 1) * original.block[axis] < launch->most[axis]);
    return good;
}

bool ht_written_fits(const ht_written_launch *launch, const ht_problem *problem,
                     const ht_device_fields *device) {
    const int64_t most[] = {device->max_grid_x, device->max_grid_y, device->max_grid_z};
    const ht_binding binding = {launch->template, problem, device};
    const ht_config plain = ht_config_default(launch->template);
    const ht_launch *own = launch->template->launches;
    int64_t threads = 1, value;
    bool good = true;
    for (int axis = 0; axis < 3; ++axis) {
        value = 1;
        if (own->grid[axis])
            good = good &&
                   ht_binding_evaluate(&binding, &plain, own->grid[axis], &value, NULL) == HT_OK;
        good = good && (launch->fixed[axis] || value <= most[axis]);
        value = 1;
        if (own->block[axis])
            good = good &&
                   ht_binding_evaluate(&binding, &plain, own->block[axis], &value, NULL) == HT_OK;
        good = good && !__builtin_mul_overflow(threads, value, &threads);
    }
    return good && threads <= device->max_threads;
}

bool ht_written_is_legal(const ht_template *tuned, const ht_config *config,
                         const ht_problem *problem, const ht_device_fields *device) {
    const ht_binding binding = {tuned, problem, device};
    bool legal = false;
    return ht_binding_legal(&binding, config, &legal, NULL, NULL) == HT_OK && legal;
}

bool ht_written_is_elsewhere(const ht_written_constants *constants, const ht_template *tuned,
                             const ht_config *config, const ht_problem *problem,
                             const ht_device_fields *device) {
    ht_problem own;
    if (!constants->count || ht_written_is_legal(tuned, config, problem, device) ||
        !ht_problem_change(&tuned->problem, problem, constants->items, constants->count, &own))
        return false;
    bool elsewhere = ht_written_is_legal(tuned, config, &own, device);
    ht_problem_free(&own);
    return elsewhere;
}

bool ht_written_is_past(const ht_written_launch *launch, const ht_template *tuned,
                        const ht_config *config, const ht_problem *problem,
                        const ht_device_fields *device) {
    const int64_t most[] = {device->max_grid_x, device->max_grid_y, device->max_grid_z};
    const ht_binding own = {launch->template, problem, device}, measured = {tuned, problem, device};
    const ht_config plain = ht_config_default(launch->template);
    ht_geometry original;
    bool launched = true, past = false;
    if (ht_binding_geometry(&own, &plain, launch->template->reference_launches, &original, NULL) !=
            HT_OK ||
        ht_binding_launch_fits(&measured, config, tuned->launches, &launched, NULL, NULL) !=
            HT_OK ||
        launched)
        return false;
    for (int axis = 0; axis < 3; ++axis) {
        int64_t covers = 0, block = original.block[axis];
        /* the original's last block may be without items, as in n / block + 1 */
        int64_t items = (original.grid[axis] - (int64_t)2) * block;
        if (launch->covers[axis] && !launch->fixed[axis] &&
            ht_binding_evaluate(&measured, config, launch->covers[axis], &covers, NULL) == HT_OK &&
            covers > 0)
            past = past || items / covers >= most[axis];
    }
    return past;
}

/* Returns the outputs of a thread of the tuned kernel along an axis. */
static int64_t outputs_of(const ht_written_launch *launch, const ht_binding *tuned,
                          const ht_config *config, int axis) {
    int64_t covers = 0, block = 0;
    const ht_expr *extent = tuned->template->launches[0].block[axis];
    if (!launch->covers[axis] || !extent ||
        ht_binding_evaluate(tuned, config, launch->covers[axis], &covers, NULL) != HT_OK ||
        ht_binding_evaluate(tuned, config, extent, &block, NULL) != HT_OK || block < 1)
        return 1;
    return covers > block ? covers / block : 1;
}

char *ht_written_past_difference(const ht_written_launch *launch, const ht_template *tuned,
                                 const ht_config *config, const ht_problem *problem,
                                 const ht_device_fields *device) {
    const ht_binding binding = {launch->template, problem, device},
                     measured = {tuned, problem, device};
    const ht_config plain = ht_config_default(launch->template);
    ht_geometry wanted, own;
    if (launch->assumed ||
        ht_binding_geometry(&binding, &plain, launch->template->reference_launches, &wanted,
                            NULL) != HT_OK ||
        ht_binding_geometry(&binding, &plain, launch->template->launches, &own, NULL) != HT_OK)
        return NULL;
    bool same = wanted.lds == own.lds && memcmp(wanted.block, own.block, sizeof own.block) == 0;
    for (int axis = 0; axis < 3 && same; ++axis) {
        int64_t outputs = outputs_of(launch, &measured, config, axis), grid = wanted.grid[axis];
        if (launch->joined[axis] && /* whichever block is launched */
            ht_binding_evaluate(&measured, config, tuned->launches[0].grid[axis], &grid, NULL) ==
                HT_OK)
            wanted.grid[axis] = (uint32_t)grid;
        /* rounded up or down, as the original rounds its items */
        same = own.grid[axis] == wanted.grid[axis] ||
               (outputs > 1 && own.grid[axis] >= grid / outputs &&
                own.grid[axis] <= (grid + outputs - 1) / outputs);
    }
    return same ? NULL : geometry_difference(&wanted, &own, "the original's are");
}
