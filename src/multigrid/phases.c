/* What the phases of the set-up take, for the log. */
#include "multigrid/levels.h"

void ritz_multigrid_phase(multigrid_clock *clock, const char *phase, int64_t bytes)
{
    if (!clock || !ritz_logs() || ritz_device_finish(clock->device)) /* the next call reports what failed there */
        return;
    const double now = ritz_seconds(), seconds = now - clock->since;
    if (phase)
        ritz_log("multigrid: level %d, %s: %.2f ms, %.1f MB at least, %.1f GB/s", clock->level, phase, 1e3 * seconds,
                 1e-6 * (double)bytes, 1e-9 * (double)bytes / seconds);
    clock->since = now;
}
