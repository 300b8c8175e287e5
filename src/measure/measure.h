/* One integral computed, checked and timed: what the command `ritz integrate` does. Depends on the integrate room. */
#ifndef RITZ_SRC_MEASURE_H
#define RITZ_SRC_MEASURE_H

#include "integrate/integrate.h"
#include "integrate/queue.h"

/* Receives the element matrices of elements first .. first + count - 1 in the order of ritz_integrate_reference, each
   element once: from the first to the last with one device, in any order with several; never two calls at a time.
   matrices[count][rows][rows], vectors[count][rows] (zeros where the form has no load). */
typedef ritz_status ritz_element_sink(int64_t first, int64_t count, const double *matrices, const double *vectors,
                                      void *context);

enum { RITZ_REPEAT_NONE = -1 };

typedef struct ritz_measure_options {
    const char *method;          /* NULL: "auto" */
    const char *const *settings; /* "key=value" */
    int n_settings;
    ritz_precision precision;
    int repeat;               /* timed runs after the first one; 0: 5; RITZ_REPEAT_NONE: the first one is timed */
    int64_t max_device_bytes; /* of all that the run takes on each device; 0: a share of what is free */
    bool checksum;            /* of all that reaches the host: checksum.h */
    uint64_t seed;            /* of the sample that is checked */
    int32_t sample;           /* elements in it; 0: 100, or all of fewer */
    bool sample_only;         /* nothing else comes to the host: no sink, no checksum */
    const double *expected;   /* of the sample, from ritz_measure_expect; NULL: the reference is computed */
    double enough; /* seconds of the first run from which on there are no further ones, nor where the sample is wrong;
                                 0: further ones in any case */
    ritz_element_sink *sink; /* NULL: none */
    void *context;
} ritz_measure_options;

/* Work of one element. NAN where it is not known. */
typedef struct ritz_work {
    double paper_operations;          /* as published figures count them */
    const char *paper_source;         /* where that count comes from */
    double operations;                /* additions, multiplications and divisions that the kernel does */
    double input_bytes, output_bytes; /* that have to move between the device's memory and its units */
} ritz_work;

/* What one device did of a run. */
typedef struct ritz_device_share {
    const ritz_device_info *device; /* the device's own */
    const ritz_method *method;
    ritz_plan plan;
    int64_t chunk;                /* most elements at once */
    int64_t n_elements, n_chunks; /* of the pass that brought everything to the host */
    double kernel, transfer;      /* seconds in that pass, from device events */
    int64_t peak_device_bytes;
} ritz_device_share;

typedef struct ritz_measurement {
    const ritz_method *method;
    ritz_plan plan;
    char *source; /* the kernel as compiled; owned, see ritz_measurement_clear */
    double prepare_input, compile, allocate, transfer_input, kernel, kernel_least,
        transfer_output;       /* seconds, kernel: median */
    double elapsed;            /* on the clock: the pass that brings everything to the host, and its consumers */
    int repeat;                /* 0: kernel is that of this pass */
    int64_t chunk, n_chunks;   /* elements that the (first) device holds at once; of all devices */
    int64_t peak_device_bytes; /* largest of the devices */
    uint64_t checksum;         /* see checksum.h; 0 when it was not asked for */
    int n_devices;
    ritz_device_share devices[RITZ_MAX_STREAMS];
    int64_t n_checked;
    double matrix_error,
        vector_error; /* largest of the sample, relative to the largest entry of the element; NAN: no load */
    ritz_work work;
} ritz_measurement;

/* Runs all elements once, to the host and to the sink; compares a random sample of them with the reference; then times `repeat` further runs without transfers. Element matrices that do not fit pass
   in chunks, double-buffered. */
ritz_status ritz_measure(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                         ritz_measurement *measurement);
/* The same on n_devices devices at once, each with a plan of its own; chunks go to whichever is free, sized by the
   rates. Seconds before the kernel's are the sums, kernel and transfer_output the longest of the devices. The same
   device may be there twice, opened twice. Bits do not depend on who computed an element where the devices and their
   plans are alike; otherwise they may differ by rounding. */
ritz_status ritz_measure_devices(ritz_device *const *devices, int n_devices, const ritz_integral *integral,
                                 const ritz_measure_options *options, ritz_measurement *measurement);
void ritz_measurement_clear(ritz_measurement *measurement);

/* Elements of a sample, `least` to 100: as many as the reference does in about a second. */
int32_t ritz_measure_sample(const ritz_case *c, const ritz_form *form, int32_t least);

/* Matrices, then vectors, of the sample that these options draw, by the reference: `expected`, of so many numbers. */
int64_t ritz_measure_expected_size(const ritz_integral *integral, const ritz_measure_options *options);
ritz_status ritz_measure_expect(const ritz_integral *integral, const ritz_measure_options *options, double *expected);

/* The kernel's whole text, without running it. *source is the caller's. */
ritz_status ritz_measure_source(ritz_device *device, const ritz_integral *integral, const ritz_measure_options *options,
                                char **source);

/* About n elements, of `most` that there are (1 or more): as many for each worker of the plan, or for each compute unit
   where there are fewer, so that none waits for the last one; all of `most` where they do not go round once. */
int64_t ritz_measure_even(const ritz_plan *plan, const ritz_device_info *limits, int64_t n, int64_t most);

/* The median of n numbers, 1 or more; sorts them, so that the first is then the least. */
double ritz_median(double *numbers, int64_t n);

/* 1e-12 in f64, 2e-5 in f32. */
double ritz_measure_tolerance(ritz_precision precision);
/* Whether no error is above the tolerance. A matrix error that is no number is above; a form without a load has no vector
   error. */
bool ritz_measurement_is_accurate(const ritz_measurement *m, ritz_precision precision);

/* Work of an element of this integral; source: the text of the kernel that ritz_integrator_source gives. */
void ritz_count_work(const ritz_integral *integral, const ritz_method *method, const ritz_plan *plan,
                     ritz_precision precision, const char *source, ritz_work *work);
/* The same without a mesh; source: any text with the form's functions, as ritz_form_generate gives them. */
void ritz_count_case(const ritz_case *the_case, const ritz_form *form, const ritz_datum *data,
                     const ritz_method *method, const ritz_plan *plan, const char *source, ritz_work *work);

/* Share of the roofline that a method is expected to reach with this plan: a figure of the tuning tables. */
double ritz_expected_share(const ritz_case *the_case, const ritz_device_info *limits, const ritz_method *method,
                           const ritz_plan *plan);

/* Arithmetic operators in the form's functions of such a text. */
void ritz_count_form(const char *source, ritz_form_counts *counts);

#endif
