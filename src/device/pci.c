/* Devices by their place on the PCI bus, which tells two of a kind apart whatever order drivers list them in. */
#include "device/opencl.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Queries of extensions: cl_khr_pci_bus_info and cl_nv_device_attribute_query. */
enum { PCI_BUS_INFO = 0x410F, PCI_BUS_NVIDIA = 0x4008, PCI_SLOT_NVIDIA = 0x4009, PCI_DOMAIN_NVIDIA = 0x400A };

typedef struct pci_place {
    cl_uint domain, bus, device, function;
} pci_place;

void ritz_find_pci(ritz_found *found, bool has_bus_info)
{
    pci_place p = {0};
    char *text = found->info.pci;
    text[0] = '\0';
    if (!has_bus_info || clGetDeviceInfo(found->id, PCI_BUS_INFO, sizeof p, &p, NULL) != CL_SUCCESS) {
        p = (pci_place){0};
        if (!found->is_nvidia || clGetDeviceInfo(found->id, PCI_BUS_NVIDIA, sizeof p.bus, &p.bus, NULL) != CL_SUCCESS ||
            clGetDeviceInfo(found->id, PCI_SLOT_NVIDIA, sizeof p.device, &p.device, NULL) != CL_SUCCESS)
            return;
        clGetDeviceInfo(found->id, PCI_DOMAIN_NVIDIA, sizeof p.domain, &p.domain, NULL); /* 0 where it is not known */
    }
    snprintf(text, sizeof found->info.pci, "%04x:%02x:%02x.%x", p.domain & 0xffff, p.bus & 0xff, p.device & 0x1f,
             p.function & 7);
}

bool ritz_is_pci_selector(const char *selector)
{
    static const char start[] = "pci:";
    for (size_t i = 0; i < sizeof start - 1; i++)
        if (tolower((unsigned char)selector[i]) != start[i])
            return false;
    return true;
}

/* "0000:3b:00.0" or "3b:00.0" as `ritz_find_pci` writes it; false for what is none. */
static bool read_address(const char *text, char address[16])
{
    unsigned domain = 0, bus = 0, device = 0, function = 0;
    int end = -1;
    if (sscanf(text, "%4x:%2x:%2x.%1x%n", &domain, &bus, &device, &function, &end) != 4 || end < 0) {
        domain = 0;
        end = -1;
        if (sscanf(text, "%2x:%2x.%1x%n", &bus, &device, &function, &end) != 3 || end < 0)
            return false;
    }
    snprintf(address, 16, "%04x:%02x:%02x.%x", domain & 0xffff, bus & 0xff, device & 0x1f, function & 7);
    return text[end] == '\0' && device < 32 && function < 8;
}

ritz_status ritz_select_by_pci(const char *selector, const ritz_found *found, int32_t n_found, int32_t *chosen)
{
    ritz_status status = RITZ_OK;
    char address[16], *names = NULL;
    ritz_text all = {0};
    bool any = false;
    RITZ_REQUIRE(read_address(selector + strlen("pci:"), address), RITZ_ERROR_INPUT,
                 "'%s' is not a PCI address; write domain:bus:device.function in hexadecimal, like pci:0000:3b:00.0 "
                 "(lspci -D shows them)",
                 selector);
    for (int32_t i = 0; i < n_found; i++) {
        if (strcmp(found[i].info.pci, address) == 0) {
            *chosen = i;
            goto done;
        }
        if (found[i].info.pci[0])
            ritz_text_add(&all, "%s%s '%s'", any ? ", " : "", found[i].info.pci, found[i].info.name);
        any = any || found[i].info.pci[0];
    }
    if (any) {
        RITZ_TRY(ritz_text_take(&all, &names));
        RITZ_FAIL(RITZ_ERROR_DEVICE, "no device has the PCI address %s; there is %s", address, names);
    }
    RITZ_TRY(ritz_name_devices(found, n_found, &names));
    RITZ_FAIL(RITZ_ERROR_DEVICE,
              "no device reports its PCI address (its driver needs cl_khr_pci_bus_info or "
              "cl_nv_device_attribute_query); choose by kind or name among %s",
              names);
done:
    ritz_text_free(&all);
    ritz_free(names);
    return status;
}
