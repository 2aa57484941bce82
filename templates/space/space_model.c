#include "templates/space/space_model.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { TERMS_MAX = 256 };

void ht_space_model_add_dimension(ht_space_model *model, const ht_dimension *dimension) {
    size_t count = dimension->value_count;
    double *numbers = ht_alloc(count, sizeof *numbers);
    char **texts = ht_alloc(count, sizeof *texts);
    memcpy(numbers, dimension->numbers, count * sizeof *numbers);
    for (size_t i = 0; i < count; ++i)
        texts[i] = ht_strdup(dimension->texts[i]);
    HT_GROW(model->dimensions, model->dimension_count);
    ht_dimension *copy = &model->dimensions[model->dimension_count++];
    *copy = *dimension;
    copy->name = ht_strdup(dimension->name);
    copy->numbers = numbers;
    copy->texts = (const char *const *)texts;
}

uint32_t ht_space_model_add_source(ht_space_model *model, char *text, ht_place place) {
    HT_GROW(model->sources, model->source_count);
    model->sources[model->source_count] = (ht_space_source){text, place};
    return (uint32_t)model->source_count++;
}

void ht_space_model_require(ht_space_model *model, uint32_t instruction, uint32_t source) {
    const ht_instruction *in = ht_code_at(model->code, instruction);
    for (; in->op == HT_CODE_BOTH; in = ht_code_at(model->code, instruction)) {
        ht_space_model_require(model, in->operands[0], source);
        instruction = in->operands[1];
    }
    if (in->range.low.whole > 0 && !in->may_fault)
        return; /* always true */
    HT_GROW(model->conditions, model->condition_count);
    model->conditions[model->condition_count++] = (ht_space_condition){instruction, source};
}

void ht_space_model_add_term(ht_space_model *model, uint32_t instruction, char *text) {
    uint64_t params = ht_code_at(model->code, instruction)->params;
    bool wanted = (params & (params - 1)) != 0 && model->term_count < TERMS_MAX;
    for (size_t i = 0; wanted && i < model->term_count; ++i)
        wanted = model->terms[i].instruction != instruction;
    if (!wanted) {
        free(text);
        return;
    }
    HT_GROW(model->terms, model->term_count);
    model->terms[model->term_count++] = (ht_space_term_entry){text, instruction, NULL};
}

void ht_space_model_finish(ht_space_model *model) {
    for (size_t i = 0; i < model->term_count; ++i)
        model->terms[i].routine = ht_routine_new(model->code, &model->terms[i].instruction, 1);
}

void ht_space_model_free(ht_space_model *model) {
    for (size_t i = 0; i < model->dimension_count; ++i) {
        ht_dimension *dimension = &model->dimensions[i];
        for (size_t v = 0; v < dimension->value_count; ++v)
            free((char *)dimension->texts[v]);
        free((void *)dimension->texts);
        free((void *)dimension->numbers);
        free((char *)dimension->name);
    }
    for (size_t i = 0; i < model->source_count; ++i)
        free(model->sources[i].text);
    for (size_t i = 0; i < model->term_count; ++i) {
        free(model->terms[i].text);
        ht_routine_free(model->terms[i].routine);
    }
    free(model->dimensions);
    free(model->sources);
    free(model->conditions);
    free(model->terms);
    free(model->subject);
    free(model->file);
    ht_code_free(model->code);
    *model = (ht_space_model){0};
}
