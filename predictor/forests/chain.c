#include "predictor/forests/chain.h"

#include "base/little_endian.h"
#include "base/memory.h"
#include "predictor/forests/numbers.h"
#include "predictor/forests/trees.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The share that a value gets which no tree has seen, so that the networks can still make it the
 * answer. */
static const double unseen = 1e-4;
enum { TREES_MAX = 4096 };

/* A group, the records of one architecture and precision, has no forests of its own when it has
 * more than this share of all records: those of all are nearly its own, and the file would grow.
 * Nor has one with fewer than the least, which a forest learns nothing from. */
static const double own_most = 0.1;
enum { OWN_LEAST = 40, GROUPS_MAX = 4096 };

/* The forests of one group. */
typedef struct own_forests {
    uint64_t group;
    ht_forest **forests; /* [steps] */
} own_forests;

struct ht_chain {
    const ht_schema *schema;
    ht_output_shape output;
    ht_numbers *numbers;
    uint32_t trees;
    float share;
    ht_forest **forests; /* [steps] */
    float own, own_share;
    own_forests *owns;
    size_t own_count;
};

ht_chain_settings ht_chain_defaults(void) {
    return (ht_chain_settings){.trees = 32,
                               .min_leaf = 3,
                               .tried = 0.3F,
                               .share = 0.5F,
                               .own = 0.6F,
                               .own_leaf = 1,
                               .own_share = 0.75F,
                               .seed = 1};
}

static ht_chain *chain_new(const ht_schema *schema, uint32_t trees, float share) {
    ht_chain *chain = ht_alloc(1, sizeof *chain);
    *chain = (ht_chain){.schema = schema,
                        .numbers = ht_numbers_new(schema),
                        .trees = trees,
                        .share = share,
                        .forests = ht_alloc(HT_PARAM_MAX, sizeof(ht_forest *))};
    ht_schema_output(schema, &chain->output);
    return chain;
}

/* Frees the forests of all steps, with their array. */
static void forests_free(const ht_chain *chain, ht_forest **forests) {
    for (uint32_t t = 0; t < chain->output.steps; ++t)
        ht_forest_free(forests[t]);
    free(forests);
}

void ht_chain_free(ht_chain *chain) {
    if (!chain)
        return;
    forests_free(chain, chain->forests);
    for (size_t i = 0; i < chain->own_count; ++i)
        forests_free(chain, chain->owns[i].forests);
    free(chain->owns);
    ht_numbers_free(chain->numbers);
    free(chain);
}

double ht_chain_share(const ht_chain *chain) {
    return (double)chain->share;
}

/* Returns true for a field that groups go by: the architecture, and the precision. */
static bool is_grouping(const ht_schema_field *field) {
    return field->names && (field->device || !strcmp(field->name, "precision"));
}

/* Returns how many groups there can be; 0 when nothing says what the architecture is. */
static uint64_t group_count(const ht_schema *schema) {
    uint64_t count = 1;
    bool device = false;
    for (size_t f = 0; f < schema->field_count && count <= GROUPS_MAX; ++f)
        if (is_grouping(&schema->fields[f])) {
            count *= schema->fields[f].name_count + 1;
            device |= schema->fields[f].device;
        }
    return device && count <= GROUPS_MAX ? count : 0;
}

/* Returns the group of a problem. */
static uint64_t group_of(const ht_schema *schema, const int64_t *fields) {
    uint64_t group = 0;
    for (size_t f = 0; f < schema->field_count; ++f)
        if (is_grouping(&schema->fields[f])) /* an unknown architecture is -1 */
            group = group * (schema->fields[f].name_count + 1) + (uint64_t)(fields[f] + 1);
    return group;
}

/* Returns the forests of the problem's group, or NULL. */
static const own_forests *own_find(const ht_chain *chain, const int64_t *fields) {
    uint64_t group = chain->own_count ? group_of(chain->schema, fields) : 0;
    for (size_t i = 0; i < chain->own_count; ++i)
        if (group == chain->owns[i].group)
            return &chain->owns[i];
    return NULL;
}

void ht_chain_shares(const ht_chain *chain, const int64_t *fields, double *out_all,
                     double *out_own) {
    bool own = own_find(chain, fields) != NULL;
    double share = (double)(own ? chain->own_share : chain->share);
    *out_own = own ? share * (double)chain->own : 0;
    *out_all = share - *out_own;
}

size_t ht_chain_own_count(const ht_chain *chain) {
    return chain->own_count;
}

uint32_t ht_chain_trees(const ht_chain *chain) {
    return chain->trees;
}

static float value_number(const ht_chain *chain, size_t step, uint16_t value) {
    return (float)chain->schema->params[step].values[value].number;
}

/* The numbers of all records by column, then the values of the parameters by step. */
typedef struct columns {
    float *all;
    const float **list; /* [count] */
    size_t count;
} columns;

static columns columns_make(const ht_chain *chain, const ht_dataset *dataset) {
    size_t numbers = ht_numbers_count(chain->numbers), steps = chain->output.steps;
    columns columns = {.count = numbers + steps};
    columns.all = ht_alloc(columns.count * dataset->count, sizeof *columns.all);
    columns.list = ht_alloc(columns.count, sizeof *columns.list);
    float *row = ht_alloc(columns.count, sizeof *row);
    for (size_t c = 0; c < columns.count; ++c)
        columns.list[c] = columns.all + c * dataset->count;
    for (size_t r = 0; r < dataset->count; ++r) {
        ht_numbers_fill(chain->numbers, dataset->fields + r * chain->schema->field_count, row);
        for (size_t t = 0; t < steps; ++t)
            row[numbers + t] = value_number(chain, t, dataset->targets[r * steps + t]);
        for (size_t c = 0; c < columns.count; ++c)
            columns.all[c * dataset->count + r] = row[c];
    }
    free(row);
    return columns;
}

/* Forests under way. */
typedef struct growth {
    const ht_dataset *dataset;
    const ht_chain_settings *settings;
    columns columns;
    uint16_t *labels; /* of one step; [records] */
    uint32_t *rows;   /* [records] */
    size_t done, whole;
    bool (*progress)(void *context, double done);
    void *context;
} growth;

/* Adds a group that has forests of its own, none grown yet. */
static own_forests *own_add(ht_chain *chain, uint64_t group) {
    HT_GROW(chain->owns, chain->own_count);
    own_forests *own = &chain->owns[chain->own_count++];
    *own = (own_forests){group, ht_alloc(HT_PARAM_MAX, sizeof(ht_forest *))};
    return own;
}

/* Grows the forests of all steps on the first `count` of the rows; false when it was stopped. */
static bool forests_grow(const ht_chain *chain, growth *g, size_t count, uint32_t min_leaf,
                         ht_forest **out_forests) {
    size_t steps = chain->output.steps, numbers = g->columns.count - steps;
    for (size_t t = 0; t < steps; ++t) {
        for (size_t r = 0; r < g->dataset->count; ++r)
            g->labels[r] = g->dataset->targets[r * steps + t];
        ht_tree_data data = {.columns = g->columns.list,
                             .features = numbers + t,
                             .labels = g->labels,
                             .outputs = 1,
                             .stored = 1,
                             .classes = chain->output.values[t]};
        ht_forest_settings forest = {.trees = g->settings->trees,
                                     .random_thresholds = true,
                                     .short_thresholds = true,
                                     .tried = (double)g->settings->tried,
                                     .min_leaf = min_leaf,
                                     .seed = g->settings->seed + ((uint64_t)t << 32)};
        out_forests[t] = ht_forest_grow(&data, g->rows, count, &forest);
        ++g->done;
        if (g->progress && !g->progress(g->context, (double)g->done / (double)g->whole) &&
            g->done < g->whole)
            return false;
    }
    return true;
}

/* Puts the records of a group into the rows; returns their number, 0 when there are too few or too
 * many for forests of their own. */
static size_t own_rows(growth *g, uint64_t group) {
    const ht_schema *schema = g->dataset->schema;
    size_t count = 0, width = schema->field_count, all = g->dataset->count;
    for (size_t r = 0; r < all; ++r)
        if (group_of(schema, g->dataset->fields + r * width) == group)
            g->rows[count++] = (uint32_t)r;
    return count >= OWN_LEAST && (double)count <= own_most * (double)all ? count : 0;
}

/* Grows the forests of the groups that have their own; false when it was stopped. */
static bool owns_grow(ht_chain *chain, growth *g) {
    uint64_t groups = g->settings->own > 0 ? group_count(chain->schema) : 0;
    for (uint64_t group = 0; group < groups; ++group) {
        size_t count = own_rows(g, group);
        if (!count)
            continue;
        own_forests *own = own_add(chain, group);
        if (!forests_grow(chain, g, count, g->settings->own_leaf, own->forests))
            return false;
    }
    return true;
}

/* Returns the number of forests to grow. */
static size_t growth_whole(const ht_chain *chain, growth *g) {
    uint64_t groups = g->settings->own > 0 ? group_count(chain->schema) : 0;
    size_t sets = 1;
    for (uint64_t group = 0; group < groups; ++group)
        sets += own_rows(g, group) > 0;
    return sets * chain->output.steps;
}

ht_status ht_chain_grow(const ht_dataset *dataset, const ht_chain_settings *settings,
                        bool (*progress)(void *context, double done), void *context,
                        ht_chain **out_chain, ht_error *error) {
    ht_chain *chain = chain_new(dataset->schema, settings->trees, settings->share);
    growth g = {.dataset = dataset,
                .settings = settings,
                .columns = columns_make(chain, dataset),
                .labels = ht_alloc(dataset->count + 1, sizeof *g.labels),
                .rows = ht_alloc(dataset->count + 1, sizeof *g.rows),
                .progress = progress,
                .context = context};
    g.whole = growth_whole(chain, &g);
    for (size_t r = 0; r < dataset->count; ++r)
        g.rows[r] = (uint32_t)r;
    chain->own = settings->own;
    chain->own_share = settings->own_share;
    bool good = forests_grow(chain, &g, dataset->count, settings->min_leaf, chain->forests) &&
                owns_grow(chain, &g);
    free(g.labels);
    free(g.rows);
    free(g.columns.all);
    free(g.columns.list);
    if (!good) {
        ht_chain_free(chain);
        return ht_error_set(error, HT_ERROR_INTERRUPTED, "stopped while growing trees");
    }
    *out_chain = chain;
    return HT_OK;
}

static void real_pack(ht_text *out, float real) {
    uint8_t bytes[4];
    ht_bytes_put_real(bytes, real);
    ht_text_append_n(out, (const char *)bytes, sizeof bytes);
}

/* Reads a share; false for what is not one. */
static bool real_unpack(const uint8_t **at, const uint8_t *end, float *out) {
    if (end - *at < 4)
        return false;
    *out = ht_bytes_get_real(*at);
    *at += 4;
    return *out >= 0 && *out <= 1;
}

static void forests_pack(const ht_chain *chain, ht_forest *const *forests, ht_text *out) {
    for (uint32_t t = 0; t < chain->output.steps; ++t)
        ht_forest_pack(forests[t], out);
}

void ht_chain_pack(const ht_chain *chain, ht_text *out) {
    real_pack(out, chain->share);
    ht_number_pack(out, chain->trees);
    forests_pack(chain, chain->forests, out);
    if (!chain->own_count)
        return;
    ht_number_pack(out, chain->own_count);
    real_pack(out, chain->own);
    real_pack(out, chain->own_share);
    for (size_t i = 0; i < chain->own_count; ++i) {
        ht_number_pack(out, chain->owns[i].group);
        forests_pack(chain, chain->owns[i].forests, out);
    }
}

static bool forests_unpack(const ht_chain *chain, const uint8_t **at, const uint8_t *end,
                           ht_forest **out_forests) {
    for (uint32_t t = 0; t < chain->output.steps; ++t)
        if (!ht_forest_unpack(at, end, chain->trees, ht_numbers_count(chain->numbers) + t,
                              chain->output.values[t], &out_forests[t]))
            return false;
    return true;
}

/* Reads the forests of architectures, which stand last, if at all. */
static bool owns_unpack(ht_chain *chain, const uint8_t **at, const uint8_t *end) {
    uint64_t count = 0, group, groups = group_count(chain->schema);
    if (*at == end)
        return true;
    if (!groups || !ht_number_unpack(at, end, groups, &count) || !count ||
        !real_unpack(at, end, &chain->own) || !real_unpack(at, end, &chain->own_share))
        return false;
    for (uint64_t i = 0; i < count; ++i) {
        if (!ht_number_unpack(at, end, groups - 1, &group))
            return false;
        if (!forests_unpack(chain, at, end, own_add(chain, group)->forests))
            return false;
    }
    return *at == end;
}

bool ht_chain_unpack(const ht_schema *schema, const uint8_t *data, size_t length,
                     ht_chain **out_chain) {
    const uint8_t *at = data, *end = data + length;
    uint64_t trees;
    float share;
    if (!real_unpack(&at, end, &share) || !ht_number_unpack(&at, end, TREES_MAX, &trees) || !trees)
        return false;
    ht_chain *chain = chain_new(schema, (uint32_t)trees, share);
    bool good = forests_unpack(chain, &at, end, chain->forests) && owns_unpack(chain, &at, end);
    if (good)
        *out_chain = chain;
    else
        ht_chain_free(chain);
    return good;
}

struct ht_chain_asking {
    const ht_chain *chain;
    float *features;           /* [numbers + steps] */
    double *shares;            /* [most values] */
    bool own;                  /* asks the architecture's own forests */
    ht_forest *const *forests; /* those that are asked; [steps] */
    uint16_t *prefix, *spare;  /* [max_rows][steps] */
    uint32_t step;
};

ht_chain_asking *ht_chain_asking_new(const ht_chain *chain, bool own, size_t max_rows) {
    ht_chain_asking *asking = ht_alloc(1, sizeof *asking);
    size_t steps = chain->output.steps;
    asking->chain = chain;
    asking->own = own;
    asking->features = ht_alloc(ht_numbers_count(chain->numbers) + steps, sizeof(float));
    asking->shares = ht_alloc(HT_PARAM_VALUES_MAX, sizeof *asking->shares);
    asking->prefix = ht_alloc(max_rows * steps + 1, sizeof *asking->prefix);
    asking->spare = ht_alloc(max_rows * steps + 1, sizeof *asking->spare);
    return asking;
}

void ht_chain_asking_free(ht_chain_asking *asking) {
    if (!asking)
        return;
    free(asking->features);
    free(asking->shares);
    free(asking->prefix);
    free(asking->spare);
    free(asking);
}

void ht_chain_asking_start(ht_chain_asking *asking, const int64_t *fields) {
    ht_numbers_fill(asking->chain->numbers, fields, asking->features);
    const own_forests *own = asking->own ? own_find(asking->chain, fields) : NULL;
    asking->forests = own ? own->forests : asking->chain->forests;
    asking->step = 0;
}

/* Makes the rows continuations of their parents. */
static void follow(ht_chain_asking *asking, size_t rows, const uint32_t *parents,
                   const uint16_t *tokens) {
    size_t steps = asking->chain->output.steps, done = asking->step;
    for (size_t r = 0; done && r < rows; ++r) {
        uint16_t *to = asking->spare + r * steps;
        memcpy(to, asking->prefix + parents[r] * steps, (done - 1) * sizeof *to);
        to[done - 1] = tokens[r];
    }
    uint16_t *swap = asking->prefix;
    asking->prefix = asking->spare;
    asking->spare = swap;
}

void ht_chain_asking_step(ht_chain_asking *asking, size_t rows, const uint32_t *parents,
                          const uint16_t *tokens, float *out_logits) {
    const ht_chain *chain = asking->chain;
    size_t numbers = ht_numbers_count(chain->numbers), steps = chain->output.steps;
    size_t values = chain->output.values[asking->step];
    follow(asking, rows, parents, tokens);
    for (size_t r = 0; r < rows; ++r) {
        for (size_t t = 0; t < asking->step; ++t)
            asking->features[numbers + t] = value_number(chain, t, asking->prefix[r * steps + t]);
        ht_forest_ask(asking->forests[asking->step], asking->features, asking->shares);
        for (size_t v = 0; v < values; ++v)
            out_logits[r * values + v] = (float)log(asking->shares[v] + unseen);
    }
    ++asking->step;
}
