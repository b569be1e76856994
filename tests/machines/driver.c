/* The NVIDIA driver's library of a machine in MACHINE, one card a line after the first:
 * what cuInit returns, CUDA version
 * name | compute capability | GiB | compute mode | UUID of 32 digits */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { char name[100]; int capability, gib, mode; char uuid[40]; } Card;

static int machine(int number, int *code, int *version, Card *card) {
    const char *line = getenv("MACHINE");
    int n = -1;
    sscanf(line, "%d %d", code, version);
    while ((line = strchr(line, '\n'))) {
        ++line;
        if (++n == number && card)
            sscanf(line, "%99[^|]|%d|%d|%d|%39[0-9a-f]", card->name, &card->capability, &card->gib,
                   &card->mode, card->uuid);
    }
    return n + 1;
}

static Card of(int number) {
    Card card = {0};
    int code, version;
    machine(number, &code, &version, &card);
    return card;
}

int cuInit(unsigned flags) {
    int code, version;
    machine(-1, &code, &version, NULL);
    return code;
}
int cuDriverGetVersion(int *version) {
    int code;
    machine(-1, &code, version, NULL);
    return 0;
}
int cuDeviceGetCount(int *n) {
    int code, version;
    *n = machine(-1, &code, &version, NULL);
    return 0;
}
int cuDeviceGet(int *device, int number) { *device = number; return 0; }
int cuDeviceGetName(char *name, int size, int device) {
    strncpy(name, of(device).name, size);
    return 0;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
    *bytes = (size_t)of(device).gib << 30;
    return 0;
}
int cuDeviceGetPCIBusId(char *id, int size, int device) {
    snprintf(id, size, "0000:%02X:00.0", device + 1);
    return 0;
}
int cuDeviceGetUuid(char *uuid, int device) {
    Card card = of(device);
    for (int i = 0; i < 16; ++i) {
        unsigned byte;
        sscanf(card.uuid + 2 * i, "%2x", &byte);
        uuid[i] = (char)byte;
    }
    return 0;
}
int cuDeviceGetUuid_v2(char *uuid, int device) { return cuDeviceGetUuid(uuid, device); }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
    Card card = of(device);
    *value = attribute == 75   ? card.capability / 10
             : attribute == 76 ? card.capability % 10
             : attribute == 20 ? card.mode
                               : 0;
    return 0;
}
