#include "bind_all.h"
#include "fuzz.h"

#include "templates/space/space.h"

static const ht_device_fields device = {1024,  1024,  1024,  64, 2147483647, 65535, 65535,
                                        65536, 65536, 65536, 64, 104,        256};

static void use_launch(const ht_binding *binding, const ht_config *config,
                       const ht_launch *launch) {
    ht_geometry geometry;
    ht_error error;
    ht_status status = ht_binding_geometry(binding, config, launch, &geometry, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status == HT_OK)
        for (int axis = 0; axis < 3; ++axis)
            FUZZ_CHECK(geometry.block[axis] > 0 && geometry.grid[axis] > 0);
    free(ht_binding_name_expression(binding, config, launch));
}

static void use_space(const ht_binding *binding) {
    uint64_t combinations = 1;
    ht_space *space;
    ht_error error;
    for (size_t i = 0; i < binding->template->param_count; ++i) {
        combinations *= binding->template->params[i].value_count;
        if (combinations > 2000)
            return;
    }
    ht_status status = ht_space_build(binding, 0, &space, &error);
    FUZZ_CHECK_ERROR(status, error);
    if (status != HT_OK)
        return;
    for (uint64_t i = 0, index; i < ht_space_count(space); ++i) {
        bool legal;
        ht_config config = ht_space_at(space, i);
        FUZZ_CHECK(ht_space_find(space, &config, &index) && index == i);
        FUZZ_CHECK(ht_binding_legal(binding, &config, &legal, NULL, &error) == HT_OK && legal);
    }
    ht_space_free(space);
}

void fuzz_bind_all(const ht_template *template, const ht_problem *problem) {
    ht_binding binding = {template, problem, &device};
    ht_config config = ht_config_default(template), parsed;
    char *reason, **options, *text = ht_config_string(template, &config);
    size_t count;
    bool legal;
    ht_error error;
    FUZZ_CHECK(ht_config_parse(template, text, &parsed, &error) == HT_OK);
    FUZZ_CHECK(ht_config_equal(&config, &parsed));
    free(text);
    ht_status status = ht_binding_legal(&binding, &config, &legal, &reason, &error);
    FUZZ_CHECK_ERROR(status, error);
    FUZZ_CHECK((status == HT_OK && !legal) == (reason != NULL));
    free(reason);
    for (size_t i = 0; i < template->launch_count; ++i)
        use_launch(&binding, &config, &template->launches[i]);
    for (size_t i = 0; i < template->reference_launch_count; ++i)
        use_launch(&binding, &config, &template->reference_launches[i]);
    for (size_t i = 0; i < template->baseline_launch_count; ++i)
        use_launch(&binding, &config, &template->baseline_launches[i]);
    for (size_t i = 0; i < template->arg_count; ++i) {
        int64_t elements;
        if (!template->args[i].extent)
            continue;
        status = ht_binding_extent(&binding, &config, &template->args[i], &elements, &error);
        FUZZ_CHECK_ERROR(status, error);
    }
    ht_binding_macros(&binding, &config, &options, &count);
    for (size_t i = 0; i < count; ++i)
        free(options[i]);
    free(options);
    use_space(&binding);
}
