/* The ceilings of a device, kept from run to run. Depends on the device room only. */
#ifndef RITZ_SRC_CEILINGS_H
#define RITZ_SRC_CEILINGS_H

#include "device/device.h"

/* The ceilings as they were last measured on this device with this driver; measured (a few seconds) when the cache
   folder has none, or when `anew` is set, and then kept there. when: "2026-11-21T06:30:00Z", the time of the
   measurement, UTC. */
ritz_status ritz_device_known_ceilings(ritz_device *device, bool anew, ritz_device_ceilings *ceilings, char when[32]);
/* The same without measuring: *known says whether there are any. */
ritz_status ritz_device_recall_ceilings(const ritz_device *device, ritz_device_ceilings *ceilings, char when[32],
                                        bool *known);
/* For a share of the ceilings that was reached, before it is reported. Above 105 % they were measured while the device was
   busy: they are measured once more, the better figures are kept, and *again asks to take them
   (ritz_device_known_ceilings) and come back with the new share. If that is too high as well, as it is where data stay in
   the caches, a warning goes to the log, once while the device is open. */
ritz_status ritz_device_check_share(ritz_device *device, double share, bool *again);

#endif
