/* How the values of a matrix are stored: type and bytes. */
#include "matrix/storage.h"

int64_t ritz_value_bytes(ritz_value_type type)
{
    return type == RITZ_VALUES_F64 ? 8 : type == RITZ_VALUES_F32 ? 4 : 2;
}

ritz_value_type ritz_value_type_of(const ritz_matrix_options *o)
{
    if (o->values != RITZ_VALUES_AS_VECTORS)
        return o->values;
    return o->precision == RITZ_F64 ? RITZ_VALUES_F64 : RITZ_VALUES_F32;
}
