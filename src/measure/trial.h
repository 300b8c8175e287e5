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
    ritz_trial_told *told; /* NULL: nobody */
    void *context;
} ritz_trial_setting;

/* RITZ_OK with the outcome in the configuration, whatever became of the trial's process; not so where the device can not
   be opened, or `told` fails: the configuration has no part in that. */
ritz_status ritz_try_configuration(const ritz_trial_setting *setting, ritz_configuration *configuration);

#endif
