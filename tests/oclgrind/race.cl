// A kernel that is wrong on purpose: all work-items write one word, and one of them writes behind the end. The checker
// has to report both, or its silence about the real kernels means nothing.
kernel void wrong(global int *words)
{
    words[0] = (int)get_global_id(0);
    if (get_global_id(0) == 3)
        words[4] = 1;
}
