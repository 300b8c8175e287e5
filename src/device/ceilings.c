/* Measured ceilings in the disk cache: one entry for each device, driver and version of the library. */
#include "device/ceilings.h"
#include "base/cache.h"
#include "base/lock.h"
#include "device/opencl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static const char entry_format[] =
    "copy %.17g GB/s\nstore %.17g GB/s\nf32 %.17g GFLOP/s\nf64 %.17g GFLOP/s\nmeasured %s\n%s";
static const char confirmed_line[] = "confirmed\n";
static const double highest_share = 1.05; /* beyond what one measurement differs from the next */

static ritz_status make_key(const ritz_device *device, char **key)
{
    const ritz_device_info *info = &device->info;
    return ritz_format(key, "ritz %s\nceilings of\ndevice %s\ndriver %s\nversion %s\nplatform %s, %s\nunits %d\n",
                       ritz_version(), info->name, info->driver, info->version, info->platform,
                       device->platform_version, (int)info->compute_units);
}

/* The entry of the cache; false if there is none. */
static bool recall_ceilings(const char *key, ritz_known_ceilings *known)
{
    unsigned char *entry = NULL;
    int64_t bytes = 0;
    ritz_device_ceilings *c = &known->ceilings;
    ritz_cache_load("ceilings", key, &entry, &bytes);
    if (!entry)
        return false;
    const char *text = (const char *)entry;
    known->confirmed = strstr(text, confirmed_line) != NULL;
    known->known = sscanf(text, "copy %lf GB/s\nstore %lf GB/s\nf32 %lf GFLOP/s\nf64 %lf GFLOP/s\nmeasured %31s",
                          &c->copy_gb_s, &c->store_gb_s, &c->f32_gflop_s, &c->f64_gflop_s, known->when) == 5;
    ritz_free(entry);
    return known->known;
}

ritz_status ritz_device_recall_ceilings(const ritz_device *device, ritz_device_ceilings *ceilings, char when[32],
                                        bool *known)
{
    ritz_status status = RITZ_OK;
    char *key = NULL;
    ritz_known_ceilings entry = {0};
    RITZ_TRY(make_key(device, &key));
    *known = recall_ceilings(key, &entry);
    *ceilings = entry.ceilings;
    memcpy(when, entry.when, sizeof entry.when);
done:
    ritz_free(key);
    return status;
}

static void keep_ceilings(const char *key, const ritz_known_ceilings *known)
{
    char entry[512];
    const ritz_device_ceilings *c = &known->ceilings;
    snprintf(entry, sizeof entry, entry_format, c->copy_gb_s, c->store_gb_s, c->f32_gflop_s, c->f64_gflop_s,
             known->when, known->confirmed ? confirmed_line : "");
    ritz_cache_store("ceilings", key, (const unsigned char *)entry, (int64_t)strlen(entry));
}

/* Measures; what was known already is confirmed by that, and the better of both figures counts. */
static ritz_status measure_and_keep(ritz_device *device, const char *key, ritz_known_ceilings *known)
{
    ritz_status status = RITZ_OK;
    ritz_device_ceilings measured = {.size = sizeof measured}, *c = &known->ceilings;
    const time_t now = time(NULL);
    struct tm utc;
    ritz_log("ceilings: measuring '%s', a few seconds, once for this device and driver", device->info.name);
    RITZ_TRY(ritz_device_measure(device, &measured));
    strftime(known->when, sizeof known->when, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
    known->confirmed = known->known;
    known->known = true;
    c->copy_gb_s = fmax(c->copy_gb_s, measured.copy_gb_s);
    c->store_gb_s = fmax(c->store_gb_s, measured.store_gb_s);
    c->f32_gflop_s = fmax(c->f32_gflop_s, measured.f32_gflop_s);
    c->f64_gflop_s = fmax(c->f64_gflop_s, measured.f64_gflop_s);
    keep_ceilings(key, known);
done:
    return status;
}

/* The folder is locked meanwhile: programs that start together on a device without an entry neither measure beside each
   other nor put another's figures out of force. */
ritz_status ritz_device_known_ceilings(ritz_device *device, bool anew, ritz_device_ceilings *ceilings, char when[32])
{
    ritz_status status = RITZ_OK;
    char *key = NULL, *folder = NULL;
    int lock = -1;
    ritz_known_ceilings *known = &device->ceilings;
    RITZ_TRY(make_key(device, &key));
    if (anew)
        *known = (ritz_known_ceilings){0};
    if (!known->known && (anew || !recall_ceilings(key, known))) {
        if (ritz_cache_is_kept() && ritz_cache_directory(&folder) == RITZ_OK)
            lock = ritz_lock_folder(folder);
        if (anew || !recall_ceilings(key, known))
            RITZ_TRY(measure_and_keep(device, key, known));
    }
    *ceilings = known->ceilings;
    memcpy(when, known->when, sizeof known->when);
done:
    ritz_unlock_folder(lock);
    ritz_free(key);
    ritz_free(folder);
    return status;
}

ritz_status ritz_device_check_share(ritz_device *device, double share, bool *again)
{
    ritz_status status = RITZ_OK;
    ritz_known_ceilings *known = &device->ceilings, other = {0};
    char *key = NULL, *folder = NULL;
    int lock = -1;
    *again = false;
    if (!(share > highest_share) || !known->known || (known->confirmed && known->told))
        return RITZ_OK;
    RITZ_TRY(make_key(device, &key));
    if (!known->confirmed) {
        ritz_log("ceilings: a share of %.0f %% is implausible; they are measured again", 100 * share);
        if (ritz_cache_is_kept() && ritz_cache_directory(&folder) == RITZ_OK)
            lock = ritz_lock_folder(folder);
        if (recall_ceilings(key, &other) && other.confirmed)
            *known = other;
        else
            RITZ_TRY(measure_and_keep(device, key, known));
        *again = true;
    } else {
        known->told = true;
        ritz_log("warning: %.0f %% of the best rate measured on '%s', twice: the data fit its caches, or it was busy "
                 "during both measurements (--measure repeats them)",
                 100 * share, device->info.name);
    }
done:
    ritz_unlock_folder(lock);
    ritz_free(key);
    ritz_free(folder);
    return status;
}
