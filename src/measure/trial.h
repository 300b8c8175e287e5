/* One configuration tried for real, in a process of its own: first checked, then timed. Depends on the integrate room. */
#ifndef RITZ_SRC_TRIAL_H
#define RITZ_SRC_TRIAL_H

#include "measure/isolate.h"
#include "measure/measure.h"
#include "measure/search.h"

/* What a timed trial reports from its process, for records. */
typedef ritz_status ritz_trial_told(void *context, ritz_device *device, const ritz_configuration *configuration,
                                    const ritz_measurement *measurement);

typedef struct ritz_trial_setting {
    const char *device; /* selector: the trial's process opens it */
    const ritz_integral *integral;
    ritz_precision precision;
    int repeat;     /* timed passes, of which the fastest counts; 0: 5 */
    int32_t sample; /* elements that are compared with the reference; 0: 100 */
    uint64_t seed;  /* of the sample */
    int threads;    /* of OpenMP in the trial's process, since the caller must have used one alone; 0: as they are */
    double limit;   /* seconds for a trial, compilation and all */
    double best;    /* seconds an element of the fastest so far; a configuration three times as slow is timed once;
                             0: none yet */
    const double *expected; /* of the sample: ritz_measure_expect; NULL: each trial computes it */
    ritz_trial_told *told;  /* NULL: nobody */
    void *context;
} ritz_trial_setting;

/* What all trials of a setting are measured with; method, settings and `enough` are each one's own. */
ritz_measure_options ritz_trial_options(const ritz_trial_setting *setting);

/* RITZ_OK with the outcome in the configuration, whatever became of the trial's process; not so where the device can not
   be opened, or `told` fails: the configuration has no part in that. */
ritz_status ritz_try_configuration(const ritz_trial_setting *setting, ritz_configuration *configuration);

/* Compiles the kernels of the next trials, each in a process of its own and all at once, so that they are in the cache. */
ritz_status ritz_prepare_trials(const ritz_trial_setting *setting, const ritz_configuration *list, int n);

/* setting->expected, computed in a process of its own by all threads, in memory that trials share; it stays NULL where it takes more
   than a gigabyte. ritz_trial_forget gives it back. */
ritz_status ritz_trial_expect(ritz_trial_setting *setting);
void ritz_trial_forget(ritz_trial_setting *setting);

#endif
