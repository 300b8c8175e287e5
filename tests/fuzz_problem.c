/* libFuzzer target: any bytes as a problem file. Reading and interpretation only; no mesh, no device. */
#include "ritz/problem.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What follows the first NUL, if there is one, is a setting of the command line. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        return 0;
    memcpy(text, data, size);
    text[size] = '\0';
    const size_t length = strlen(text);
    const char *setting = length < size ? text + length + 1 : NULL;
    ritz_problem *problem = NULL;
    ritz_problem_parse(text, "", &setting, setting ? 1 : 0, &problem);
    ritz_problem_destroy(&problem);
    free(text);
    return 0;
}
