#include "templates/annotations/device_fields.h"

#include <string.h>

bool ht_device_field_get(const ht_device_fields *fields, const char *name, int64_t *out_value) {
#define HT_DEVICE_FIELD(field)                                                                     \
    if (!strcmp(name, #field)) {                                                                   \
        if (fields)                                                                                \
            *out_value = fields->field;                                                            \
        return true;                                                                               \
    }
    HT_DEVICE_FIELDS(HT_DEVICE_FIELD)
#undef HT_DEVICE_FIELD
    return false;
}
