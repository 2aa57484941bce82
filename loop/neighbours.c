#include "loop/neighbours.h"

#include "base/text.h"

#include <string.h>

/* Whose parameters are sizes: block sizes, outputs of a thread, iterations unrolled, blocks of a
 * row. */
static const char *const families[] = {"block-size", "coarsen-x",  "register-tile",
                                       "unroll",     "row-blocks", NULL};

bool ht_neighbours_is_size(const ht_param *param) {
    return param->kind == HT_PARAM_INTEGER && param->origin &&
           ht_text_is_one(param->origin, families);
}

static int64_t number_of(const ht_param *param, const ht_config *config, size_t index) {
    return param->values[config->choice[index]].number;
}

/* Finds the next value above or below a parameter's; false: there is none. */
static bool next_value(const ht_param *param, uint16_t now, bool up, uint16_t *out_choice) {
    bool found = false;
    int64_t value = param->values[now].number;
    for (size_t i = 0; i < param->value_count; ++i) {
        int64_t other = param->values[i].number;
        bool past = up ? other > value : other < value;
        bool nearer = !found || (up ? other < param->values[*out_choice].number
                                    : other > param->values[*out_choice].number);
        if (past && nearer) {
            *out_choice = (uint16_t)i;
            found = true;
        }
    }
    return found;
}

/* A list of neighbours of one kind, which is made one by one. */
typedef struct listing {
    const ht_template *template;
    const ht_config *config;
    const size_t *counts; /* NULL: any values */
    size_t at;            /* the next candidate */
} listing;

/* Makes trade number `number`: parameter a up, b down; false: there is no such trade. */
static bool trade_make(const listing *in, size_t number, ht_config *out_config) {
    size_t count = in->template->param_count, a = number / count, b = number % count;
    const ht_param *up = &in->template->params[a], *down = &in->template->params[b];
    if (a == b || up->form || down->form || !ht_neighbours_is_size(up) ||
        !ht_neighbours_is_size(down))
        return false;
    *out_config = *in->config;
    if (!next_value(up, in->config->choice[a], true, &out_config->choice[a]) ||
        !next_value(down, in->config->choice[b], false, &out_config->choice[b]))
        return false;
    if (in->counts && out_config->choice[a] < in->counts[a] &&
        out_config->choice[b] < in->counts[b])
        return false;
    return number_of(up, out_config, a) * number_of(down, out_config, b) ==
           number_of(up, in->config, a) * number_of(down, in->config, b);
}

static bool trade_next(listing *in, ht_config *out_config) {
    size_t end = in->template->param_count * in->template->param_count;
    while (in->at < end)
        if (trade_make(in, in->at++, out_config))
            return true;
    return false;
}

/* Takes single steps, those of sizes in a first pass. */
static bool single_next(listing *in, ht_config *out_config) {
    size_t count = in->template->param_count;
    while (in->at < 4 * count) {
        size_t number = in->at++, index = number % (2 * count) / 2;
        const ht_param *param = &in->template->params[index];
        if (param->form || ht_neighbours_is_size(param) != (number < 2 * count))
            continue;
        *out_config = *in->config;
        if (next_value(param, in->config->choice[index], number % 2 == 0,
                       &out_config->choice[index]))
            return true;
    }
    return false;
}

size_t ht_neighbours_list(const ht_template *template, const ht_config *config,
                          ht_config *out_configs, size_t most) {
    listing trades = {.template = template, .config = config}, singles = trades;
    size_t made = 0;
    for (bool more = true; more && made < most;) {
        more = trade_next(&trades, &out_configs[made]);
        made += more;
        if (made < most && single_next(&singles, &out_configs[made])) {
            ++made;
            more = true;
        }
    }
    return made;
}

size_t ht_neighbours_trades(const ht_template *template, const ht_config *config,
                            const size_t *counts, ht_config *out_configs, size_t most) {
    listing trades = {.template = template, .config = config, .counts = counts};
    size_t made = 0;
    while (made < most && trade_next(&trades, &out_configs[made]))
        ++made;
    return made;
}
