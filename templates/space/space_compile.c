/* From constraints to a diagram: all constraints are followed at once, each by its residual. */
#include "templates/space/space_diagram.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { NO_SLOT = -1, UNTABLED_WORK = 8 /* a value through an expression costs as many tables */ };

/* A constraint that sees the parameter of a level. Slots are words of a state. */
typedef struct seeing {
    ht_residuals *residuals;
    uint32_t constraint; /* + 1 */
    size_t stage;
    int from, to; /* NO_SLOT: starts here; ends here */
} seeing;

typedef struct level {
    seeing *seeing; /* owned */
    size_t seeing_count;
    int *from; /* of the next state's words: which word is taken over; owned */
    ht_intern states;
    uint32_t *nodes; /* by state; owned */
    uint32_t *state; /* scratch: the next state, and that of the value before; owned */
    uint32_t *previous;
    uint32_t *children; /* scratch; owned */
} level;

typedef struct compiler {
    const ht_diagram_request *request;
    ht_diagram *diagram;
    ht_residuals *residuals;
    level levels[HT_PARAM_MAX + 1];
    uint64_t work;
    bool stopped;
    ht_diagram_end end;
    ht_config config; /* the path to the present node */
} compiler;

/* Word 0 of a state is the constraint that could not be judged, or 0; then the residuals of the
 * constraints that are under way, in their order. */
static void level_make(compiler *c, size_t at, const uint32_t *rank) {
    level *l = &c->levels[at];
    const ht_diagram_request *request = c->request;
    int slot = 1, next_slot = 1;
    size_t count = request->constraint_count;
    l->from = ht_alloc(count + 1, sizeof *l->from);
    l->seeing = ht_alloc(count, sizeof *l->seeing);
    for (size_t i = 0; i < count; ++i) {
        ht_residuals *r = &c->residuals[i];
        size_t scope = request->constraints[i]->scope_count, stage = 0;
        if (!scope)
            continue;
        bool open = rank[r->params[0]] < at && rank[r->params[scope - 1]] >= at;
        bool open_next = rank[r->params[0]] <= at && rank[r->params[scope - 1]] > at;
        while (stage < scope && rank[r->params[stage]] < at)
            ++stage;
        if (stage < scope && rank[r->params[stage]] == at)
            l->seeing[l->seeing_count++] = (seeing){
                r, (uint32_t)i + 1, stage, open ? slot : NO_SLOT, open_next ? next_slot : NO_SLOT};
        if (open_next)
            l->from[next_slot++] = open ? slot : NO_SLOT;
        slot += open;
    }
    l->states.width = (size_t)slot;
    l->state = ht_alloc((size_t)next_slot, sizeof *l->state);
    l->previous = ht_alloc((size_t)next_slot + 1, sizeof *l->previous); /* and its value */
    l->children = ht_alloc(c->diagram->widths[at], sizeof *l->children);
}

/* Makes the state after value v; false when nothing is left. */
static bool step(compiler *c, level *l, size_t width, const uint32_t *state, size_t v) {
    uint32_t *next = l->state;
    next[0] = state[0];
    for (size_t k = 1; k < width; ++k)
        next[k] = l->from[k] == NO_SLOT ? HT_CONDITION_TRUE : state[l->from[k]];
    for (size_t i = 0; i < l->seeing_count; ++i) {
        const seeing *s = &l->seeing[i];
        uint32_t residual = s->from == NO_SLOT ? s->residuals->root : state[s->from];
        if (residual > HT_CONDITION_FAULT) {
            size_t before = s->residuals->child_count;
            residual = ht_residual_next(s->residuals, residual, s->stage, v);
            c->work += s->residuals->maker ? UNTABLED_WORK : 0;
            c->work += s->residuals->child_count - before; /* memory counts as work */
        }
        if (residual == HT_CONDITION_FALSE ||
            (residual == HT_CONDITION_FAULT && c->request->faults_reject))
            return false;
        if (residual == HT_CONDITION_FAULT) { /* remembered once, in word 0 */
            next[0] = next[0] ? next[0] : s->constraint;
            residual = HT_CONDITION_TRUE;
        }
        if (s->to != NO_SLOT)
            next[s->to] = residual;
    }
    return true;
}

static uint32_t arrive(compiler *c, const uint32_t *state) {
    if (state[0]) {
        c->end = HT_DIAGRAM_FAULT;
        c->stopped = true;
    }
    c->stopped |= c->request->first_only;
    return 1;
}

static uint32_t descend(compiler *c, size_t at, const uint32_t *state);

/* Makes the children of a node. */
static void expand(compiler *c, size_t at, const uint32_t *state) {
    level *l = &c->levels[at];
    size_t width = c->levels[at + 1].states.width, values = c->diagram->widths[at];
    bool same = false;
    memset(l->children, 0, values * sizeof *l->children);
    for (size_t v = 0; v < values && !c->stopped; ++v) {
        if (++c->work > c->request->work) {
            c->end = HT_DIAGRAM_TOO_LARGE;
            c->stopped = true;
            return;
        }
        if (!step(c, l, width, state, v))
            continue;
        if (same && !memcmp(l->state, l->previous, width * sizeof *state)) {
            l->children[v] = l->children[l->previous[width]];
            continue;
        }
        memcpy(l->previous, l->state, width * sizeof *state);
        l->previous[width] = (uint32_t)v;
        same = true;
        c->config.choice[c->diagram->order[at]] = (uint16_t)v;
        l->children[v] = descend(c, at + 1, l->previous);
    }
}

static uint32_t descend(compiler *c, size_t at, const uint32_t *state) {
    level *l = &c->levels[at];
    bool fresh;
    if (at == c->diagram->levels)
        return arrive(c, state);
    uint32_t number = ht_intern_put(&l->states, state, &fresh);
    if (!fresh)
        return l->nodes[number];
    HT_GROW(l->nodes, number);
    l->nodes[number] = 0;
    c->work += l->states.width;
    expand(c, at, state);
    if (!c->stopped)
        l->nodes[number] = ht_diagram_add(c->diagram, l->children, c->diagram->widths[at]);
    return c->stopped ? 0 : l->nodes[number];
}

static void compiler_make(compiler *c, const ht_diagram_request *request, ht_diagram *diagram) {
    uint32_t rank[HT_PARAM_MAX] = {0};
    *c = (compiler){.request = request, .diagram = diagram};
    ht_diagram_start(diagram, request->model, request->order);
    c->config.count = (uint16_t)diagram->params;
    for (size_t at = 0; at < diagram->levels; ++at)
        rank[diagram->order[at]] = (uint32_t)at; /* no constraint sees the others */
    c->residuals = ht_alloc(request->constraint_count, sizeof *c->residuals);
    for (size_t i = 0; i < request->constraint_count; ++i)
        ht_residuals_make(request->constraints[i], request->model, rank, &c->residuals[i]);
    c->levels[diagram->levels].states.width = 1;
    for (size_t at = 0; at < diagram->levels; ++at)
        level_make(c, at, rank);
}

static void compiler_free(compiler *c) {
    for (size_t i = 0; i < c->request->constraint_count; ++i)
        ht_residuals_free(&c->residuals[i]);
    free(c->residuals);
    for (size_t at = 0; at < c->diagram->levels; ++at) {
        level *l = &c->levels[at];
        ht_intern_free(&l->states);
        free(l->seeing);
        free(l->from);
        free(l->nodes);
        free(l->state);
        free(l->previous);
        free(l->children);
    }
}

/* Starts with constraints that see no parameter, or that no value can change. */
static bool start_state(compiler *c, uint32_t *out_state) {
    *out_state = 0;
    for (size_t i = 0; i < c->request->constraint_count; ++i) {
        if (c->residuals[i].root == HT_CONDITION_FALSE ||
            (c->residuals[i].root == HT_CONDITION_FAULT && c->request->faults_reject))
            return false;
        if (c->residuals[i].root == HT_CONDITION_FAULT && !*out_state)
            *out_state = (uint32_t)i + 1;
    }
    return true;
}

ht_diagram_end ht_diagram_make(const ht_diagram_request *request, ht_diagram *out_diagram,
                               ht_config *out_config) {
    compiler c;
    uint32_t state, root = 0;
    compiler_make(&c, request, out_diagram);
    if (start_state(&c, &state))
        root = descend(&c, 0, &state);
    compiler_free(&c);
    *out_config = c.config;
    if (c.end != HT_DIAGRAM_DONE) {
        ht_diagram_free(out_diagram);
        return c.end;
    }
    if (request->first_only && c.stopped)
        root = 1;
    ht_diagram_finish(out_diagram, root);
    return HT_DIAGRAM_DONE;
}
