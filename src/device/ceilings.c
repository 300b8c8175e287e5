/* Measured ceilings in the disk cache: one entry for each device, driver and version of the library. */
#include "device/ceilings.h"
#include "base/lock.h"
#include "device/opencl.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static const char entry_format[] =
    "copy %.17g GB/s\nstore %.17g GB/s\nf32 %.17g GFLOP/s\nf64 %.17g GFLOP/s\nmeasured %s\n";

static ritz_status make_key(const ritz_device *device, char **key)
{
    const ritz_device_info *info = &device->info;
    return ritz_format(key, "ritz %s\nceilings of\ndevice %s\ndriver %s\nversion %s\nplatform %s, %s\nunits %d\n",
                       ritz_version(), info->name, info->driver, info->version, info->platform,
                       device->platform_version, (int)info->compute_units);
}

/* The entry of the cache; false if there is none. */
static bool recall(const char *key, ritz_device_ceilings *ceilings, char when[32])
{
    unsigned char *entry = NULL;
    char text[512];
    int64_t bytes = 0;
    ritz_cache_load(key, &entry, &bytes);
    if (!entry || bytes >= (int64_t)sizeof text) {
        ritz_free(entry);
        return false;
    }
    memcpy(text, entry, (size_t)bytes);
    text[bytes] = '\0';
    ritz_free(entry);
    return sscanf(text, "copy %lf GB/s\nstore %lf GB/s\nf32 %lf GFLOP/s\nf64 %lf GFLOP/s\nmeasured %31s",
                  &ceilings->copy_gb_s, &ceilings->store_gb_s, &ceilings->f32_gflop_s, &ceilings->f64_gflop_s,
                  when) == 5;
}

ritz_status ritz_device_recall_ceilings(const ritz_device *device, ritz_device_ceilings *ceilings, char when[32],
                                        bool *known)
{
    ritz_status status = RITZ_OK;
    char *key = NULL;
    RITZ_TRY(make_key(device, &key));
    *known = recall(key, ceilings, when);
done:
    ritz_free(key);
    return status;
}

static ritz_status measure_and_keep(ritz_device *device, const char *key, ritz_device_ceilings *ceilings, char when[32])
{
    ritz_status status = RITZ_OK;
    char *entry = NULL;
    const time_t now = time(NULL);
    struct tm utc;
    ritz_log("ceilings: measuring '%s', a few seconds, once for this device and driver", device->info.name);
    RITZ_TRY(ritz_device_measure(device, ceilings));
    strftime(when, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    RITZ_TRY(ritz_format(&entry, entry_format, ceilings->copy_gb_s, ceilings->store_gb_s, ceilings->f32_gflop_s,
                         ceilings->f64_gflop_s, when));
    ritz_cache_store(key, (const unsigned char *)entry, (int64_t)strlen(entry));
done:
    ritz_free(entry);
    return status;
}

/* The folder is locked meanwhile: programs that start together on a device without an entry neither measure beside each
   other nor put another's figures out of force. */
ritz_status ritz_device_known_ceilings(ritz_device *device, bool anew, ritz_device_ceilings *ceilings, char when[32])
{
    ritz_status status = RITZ_OK;
    char *key = NULL, *folder = NULL;
    int lock = -1;
    RITZ_TRY(make_key(device, &key));
    if (!anew && recall(key, ceilings, when))
        goto done;
    if (ritz_cache_directory(&folder) == RITZ_OK)
        lock = ritz_lock_folder(folder);
    if (anew || !recall(key, ceilings, when))
        RITZ_TRY(measure_and_keep(device, key, ceilings, when));
done:
    ritz_unlock_folder(lock);
    ritz_free(key);
    ritz_free(folder);
    return status;
}
