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

#endif
