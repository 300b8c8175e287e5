/* Problems of tests, all on one device: opened for each, PoCL's compiler would start for each that has a new kernel, which
   takes 0.7 s. */
#ifndef RITZ_TEST_PROBLEMS_H
#define RITZ_TEST_PROBLEMS_H

#include "check.h"
#include "ritz/problem.h"

/* A problem on the device that open_device has opened; setting NULL: none. */
static inline ritz_status parse_problem(const char *text, const char *in_folder, const char *setting,
                                        ritz_problem **problem)
{
    const ritz_status status = ritz_problem_parse(text, in_folder, &setting, setting != NULL, problem);
    if (status == RITZ_OK)
        ritz_problem_use_device(*problem, device);
    return status;
}

#endif
