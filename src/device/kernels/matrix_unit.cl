/* Compiles where the f64 matrix unit can be reached by inline PTX (m16n8k4, compute capability 9.0). No compile-time
   parameters. */
__kernel void matrix_unit(__global double *c)
{
    double c0 = 0, c1 = 0, c2 = 0, c3 = 0;
    const double a0 = c[0], a1 = c[1], b = c[2];
    asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+d"(c0), "+d"(c1), "+d"(c2), "+d"(c3)
                 : "d"(a0), "d"(a1), "d"(b));
    c[get_global_id(0)] = c0 + c1 + c2 + c3;
}
