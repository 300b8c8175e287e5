/* How values of a new matrix are written. TO_VALUES: 1 f64, 2 f32, 3 f16, 4 bf16. */
#if TO_VALUES == 1
typedef double to_value;
#elif TO_VALUES == 2
typedef float to_value;
#elif TO_VALUES == 3
typedef half to_value;
#else
typedef ushort to_value;
#endif

/* Stores v rounded to nearest even; false where only infinity is left of it. */
inline bool write_value(const real v, global to_value *p)
{
#if TO_VALUES == 1
    *p = v;
    return true;
#elif TO_VALUES == 2
    *p = (float)v;
    return isinf(v) || !isinf((float)v);
#elif TO_VALUES == 3
    vstore_half_rte((float)v, 0, p);
    return isinf(v) || fabs((float)v) < 65520.0f || isnan(v);
#else
    const uint bits = as_uint((float)v);
    const uint rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    *p = (ushort)(isnan(v) ? 0x7fc0 : rounded);
    return isinf(v) || isnan(v) || (rounded & 0x7fff) < 0x7f80;
#endif
}
