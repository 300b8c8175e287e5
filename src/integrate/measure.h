/* One integral computed, checked and timed: what the command `ritz integrate` does. Depends on the integrate room. */
#ifndef RITZ_SRC_MEASURE_H
#define RITZ_SRC_MEASURE_H

#include "integrate/integrate.h"

/* Receives the element matrices of elements first .. first + count - 1 in the order of ritz_integrate_reference, in
   turn from the first element to the last: matrices[count][rows][rows], vectors[count][rows] (zeros where the form
   has no load). */
typedef ritz_status ritz_element_sink(int64_t first, int64_t count, const double *matrices, const double *vectors,
                                      void *context);

typedef struct ritz_measure_options {
    const char *method;          /* NULL: "auto" */
    const char *const *settings; /* "key=value" */
    int n_settings;
    ritz_precision precision;
    int repeat;               /* timed runs after the first one; 0: 5 */
    int64_t max_device_bytes; /* for element matrices and vectors; 0: a share of what is free */
    uint64_t seed;            /* of the sample that is checked */
    int32_t sample;           /* elements in it; 0: 100, or all of fewer */
    ritz_element_sink *sink;  /* NULL: none */
    void *context;
} ritz_measure_options;

/* Work of one element. NAN where it is not known. */
typedef struct ritz_work {
    double paper_operations;          /* as the papers count them */
    const char *paper_source;         /* where that count comes from */
    double operations;                /* additions, multiplications and divisions that the kernel does */
    double input_bytes, output_bytes; /* that have to move between the device's memory and its units */
} ritz_work;

typedef struct ritz_measurement {
    const ritz_method *method;
    ritz_plan plan;
    char *source; /* the kernel as compiled; owned, see ritz_measurement_clear */
    double prepare_input, compile, allocate, transfer_input, kernel, kernel_least,
        transfer_output; /* seconds, kernel: median */
    int repeat;
    int64_t chunk, n_chunks; /* elements that the device holds at once */
    int64_t peak_device_bytes;
    int64_t n_checked;
    double matrix_error,
        vector_error; /* largest of the sample, relative to the largest entry of the element; NAN: no load */
    ritz_work work;
} ritz_measurement;

/* Runs all elements once, checks a random sample against the reference while they
   pass to the host and to the sink, then times `repeat` further runs. Element matrices that do not fit go through a
   bounded buffer. */
ritz_status ritz_measure(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                         ritz_measurement *measurement);
void ritz_measurement_clear(ritz_measurement *measurement);

/* The kernel's whole text, without running it. *source is the caller's. */
ritz_status ritz_measure_source(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                                char **source);

/* 1e-12 in f64, 2e-5 in f32. */
double ritz_measure_tolerance(ritz_precision precision);

/* Work of an element of this integral; source: the text of the kernel that ritz_integrator_source gives. */
void ritz_count_work(const ritz_integral *integral, const ritz_method *method, const ritz_plan *plan,
                     ritz_precision precision, const char *source, ritz_work *work);
/* The same without a mesh; source: any text with the form's functions, as ritz_form_generate gives them. */
void ritz_count_case(const ritz_case *the_case, const ritz_form *form, const ritz_datum *data,
                     const ritz_method *method, const ritz_plan *plan, const char *source, ritz_work *work);

#endif
