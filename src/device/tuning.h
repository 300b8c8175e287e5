/* Constants that were measured: which value serves which device and case. Asked in this order: the file that the tuner
   wrote for the device, the tables that are shipped in share/ritz/tuning, the one that is built in (tuning.txt). */
#ifndef RITZ_SRC_DEVICE_TUNING_H
#define RITZ_SRC_DEVICE_TUNING_H

#include "base/base.h"
#include "ritz/device.h"

/* The constants by their names in the table, which tells what each is and how it is measured. */
/* clang-format off */
#define RITZ_CONSTANTS(entry)                                                                                          \
    entry(INTEGRATE_METHOD, "integrate.method")                                                                        \
    entry(INTEGRATE_PARAMETERS, "integrate.parameters")                                                                \
    entry(INTEGRATE_STACK, "integrate.stack_bytes")                                                                    \
    entry(INTEGRATE_VECTORS, "integrate.vectors")                                                                      \
    entry(MODEL_SHARE, "model.share")                                                                                  \
    entry(UNIT_LANES, "unit.lanes")                                                                                    \
    entry(UNIT_ITEMS, "unit.items")                                                                                    \
    entry(UNIT_REGISTERS, "unit.register_bytes")                                                                       \
    entry(LANES_GROUP, "lanes.group")                                                                                  \
    entry(LANES_GROUPS_PER_UNIT, "lanes.groups_per_unit")                                                              \
    entry(LANES_TILE_SIDE, "lanes.tile_side")                                                                          \
    entry(LANES_REGISTERS, "lanes.registers")                                                                          \
    entry(LANES_LOAD_CYCLES, "lanes.load_cycles")                                                                      \
    entry(LANES_CHAIN_CYCLES, "lanes.chain_cycles")                                                                    \
    entry(LOOPS_GROUP, "loops.group")                                                                                  \
    entry(LOOPS_GROUPS_PER_UNIT, "loops.groups_per_unit")                                                              \
    entry(LOOPS_CONSECUTIVE, "loops.consecutive")                                                                      \
    entry(LOOPS_KEEP, "loops.keep")                                                                                    \
    entry(LOOPS_UNROLLS_POINTS, "loops.unrolls_points")                                                                \
    entry(LOOPS_UNROLLED, "loops.unrolled")                                                                            \
    entry(LOOPS_COEFFICIENTS, "loops.coefficients")                                                                    \
    entry(LOOPS_GEOMETRY, "loops.geometry")                                                                            \
    entry(LOOPS_READ, "loops.read")                                                                                    \
    entry(LOOPS_STREAM, "loops.stream")                                                                                \
    entry(TENSOR_GROUP, "tensor.group")                                                                                \
    entry(TENSOR_PAIRS, "tensor.pairs")                                                                                \
    entry(TENSOR_CODE, "tensor.code")                                                                                  \
    entry(TENSOR_GATHER, "tensor.gather")                                                                              \
    entry(TENSOR_LANES, "tensor.lanes")                                                                                \
    entry(TENSOR_LOCAL_BYTES, "tensor.local_bytes")                                                                    \
    entry(TENSOR_ROUNDS, "tensor.rounds")                                                                              \
    entry(TENSOR_SHARE, "tensor.share")                                                                                \
    entry(TENSOR_PLANES, "tensor.planes")                                                                              \
    entry(VECTORS_GROUP, "vectors.group")                                                                              \
    entry(VECTORS_GROUPS_PER_UNIT, "vectors.groups_per_unit")                                                          \
    entry(VECTORS_LOCAL_MEMORY, "vectors.local_memory")                                                                \
    entry(PARTS_GROUP, "parts.group")                                                                                  \
    entry(PARTS_GROUPS_PER_UNIT, "parts.groups_per_unit")                                                              \
    entry(PARTS_POINTS, "parts.points")                                                                                \
    entry(TILES_GROUP, "tiles.group")                                                                                  \
    entry(TILES_GROUPS_PER_UNIT, "tiles.groups_per_unit")                                                              \
    entry(TILES_ELEMENTS, "tiles.elements")                                                                            \
    entry(TILES_REGISTERS, "tiles.registers")                                                                          \
    entry(TILES_LOCAL_BYTES, "tiles.local_bytes")                                                                      \
    entry(TILES_LEAST_POINTS, "tiles.least_points")                                                                    \
    entry(MMA_GROUP, "mma.group")                                                                                      \
    entry(MMA_GROUPS_PER_UNIT, "mma.groups_per_unit")                                                                  \
    entry(MMA_SUMS, "mma.sums")                                                                                        \
    entry(MMA_LOCAL_BYTES, "mma.local_bytes")                                                                          \
    entry(MMA_LEAST_POINTS, "mma.least_points")                                                                        \
    entry(MMA_WIDE_FROM, "mma.wide_from")                                                                              \
    entry(FACTOR_LANES, "factor.lanes")                                                                                \
    entry(FACTOR_GROUP, "factor.group")                                                                                \
    entry(FACTOR_GROUPS_PER_UNIT, "factor.groups_per_unit")                                                            \
    entry(FACTOR_SHARING_PER_UNIT, "factor.sharing_per_unit")                                                          \
    entry(FACTOR_ROOM, "factor.room_bytes")                                                                            \
    entry(FACTOR_ROOM_SHARE, "factor.room_percent")                                                                    \
    entry(FACTOR_X, "factor.x_bytes")                                                                                  \
    entry(FACTOR_X_SHARE, "factor.x_percent")                                                                          \
    entry(FACTOR_TILE, "factor.tile")                                                                                  \
    entry(FACTOR_TILE_SIDE, "factor.tile_side")                                                                        \
    entry(FACTOR_LINE_SUMS, "factor.line_sums")                                                                        \
    entry(ASSEMBLE_CHUNK_OF_MEMORY, "assemble.chunk_of_memory")                                                        \
    entry(ASSEMBLE_CHUNK_OF_CACHE, "assemble.chunk_of_cache")                                                          \
    entry(ASSEMBLE_CHUNK_LEAST, "assemble.chunk_least")                                                                \
    entry(ASSEMBLE_CHUNK_MOST, "assemble.chunk_most")                                                                  \
    entry(ASSEMBLE_SUMS_BYTES, "assemble.sums_bytes")                                                                  \
    entry(ASSEMBLE_GROUP, "assemble.group")                                                                            \
    entry(ASSEMBLE_DEVICE_PATTERN, "assemble.device_pattern")                                                          \
    entry(MATRIX_LANES, "matrix.lanes")                                                                                \
    entry(MATRIX_SLICE_HEIGHT, "matrix.slice_height")                                                                  \
    entry(MATRIX_SORT_WINDOW, "matrix.sort_window")                                                                    \
    entry(MATRIX_STRIP_ROWS, "matrix.strip_rows")                                                                      \
    entry(MATRIX_STRIP_GROUP, "matrix.strip_group")                                                                    \
    entry(PRODUCT_GROUP, "product.group")                                                                              \
    entry(PRODUCT_ITEMS_PER_UNIT, "product.items_per_unit")                                                            \
    entry(PRODUCT_SHARES_ROWS, "product.shares_rows")                                                                  \
    entry(PRODUCT_KEPT_BYTES, "product.kept_bytes")                                                                    \
    entry(PRODUCT_ROWS_PER_ITEM, "product.rows_per_item")                                                              \
    entry(PRODUCT_THREADS_PER_ROW, "product.threads_per_row")                                                          \
    entry(PRODUCT_ROUND, "product.round")                                                                              \
    entry(PRODUCT_LAST_ROUND, "product.last_round")                                                                    \
    entry(PRODUCT_COMPRESSED_COLUMNS, "product.compressed_columns")                                                    \
    entry(PRODUCT_EARLY, "product.early")                                                                              \
    entry(HALF_STRIP_BYTES, "half.strip_bytes")                                                                          \
    entry(HALF_STRIP_ROWS_MOST, "half.strip_rows_most")                                                                  \
    entry(HALF_STRIP_ROWS_LEAST, "half.strip_rows_least")                                                                \
    entry(HALF_STRIPS_PER_UNIT, "half.strips_per_unit")                                                                  \
    entry(HALF_SORT_WINDOW, "half.sort_window")                                                                        \
    entry(HALF_LONG_ROW, "half.long_row")                                                                              \
    entry(HALF_AHEAD, "half.ahead")                                                                                    \
    entry(HALF_ROWS_AHEAD, "half.rows_ahead")                                                                          \
    entry(BLOCK_ROWS_RUNS_PER_UNIT, "block_rows.runs_per_unit")                                                        \
    entry(SUMS_UNITS, "sums.units")                                                                                    \
    entry(BLOCK_ROWS_THREADS_LEAST, "block_rows.threads_least")                                                        \
    entry(BLOCK_ROWS_THREADS_MOST, "block_rows.threads_most")                                                                \
    entry(BLOCK_ROWS_GROUP, "block_rows.group")                                                                        \
    entry(BLOCK_ROWS_COLUMNS, "block_rows.columns")                                                                    \
    entry(BLOCK_ROWS_SUMS_BYTES, "block_rows.sums_bytes")                                                              \
    entry(BLOCK_ROWS_PIECE_BYTES_PER_UNIT, "block_rows.piece_bytes_per_unit")                                          \
    entry(BLOCK_ROWS_TURN_GROUP, "block_rows.turn_group")                                                              \
    entry(MULTIGRID_GROUP, "multigrid.group")                                                                          \
    entry(MULTIGRID_STRENGTH_THREADS, "multigrid.strength_threads")                                                    \
    entry(MULTIGRID_PROLONGATOR_THREADS, "multigrid.prolongator_threads")                                              \
    entry(MULTIGRID_AGGREGATE_THREADS, "multigrid.aggregate_threads")                                                  \
    entry(MULTIGRID_DIRECT, "multigrid.direct")                                                                        \
    entry(MULTIGRID_NARROW, "multigrid.narrow")                                                                        \
    entry(CEILINGS_ARRAY_BYTES, "ceilings.array_bytes")                                                                \
    entry(CEILINGS_COPY_GROUP, "ceilings.copy_group")                                                                  \
    entry(CEILINGS_GROUP, "ceilings.group")                                                                            \
    entry(CEILINGS_GROUPS_PER_UNIT, "ceilings.groups_per_unit")                                                        \
    entry(SUMS_GROUP, "sums.group")                                                                                    \
    entry(SUMS_LANES, "sums.lanes")                                                                                    \
    entry(SOLVE_HALF, "solve.half")                                                                                    \
    entry(SOLVE_POLYNOMIAL, "solve.polynomial")                                                                        \
    entry(SOLVE_MULTIGRID, "solve.multigrid")                                                                          \
    entry(SOLVE_SLENDER, "solve.slender")                                                                              \
    entry(SOLVE_SLENDER_PRODUCTS, "solve.slender_products")                                                            \
    entry(SOLVE_DIRECT_AFTER, "solve.direct_after")                                                                    \
    entry(SOLVE_PRODUCT_RATE, "solve.product_rate")                                                                    \
    entry(SOLVE_FACTOR_RATE, "solve.factor_rate")                                                                      \
    entry(SOLVE_FACTOR_OPERATIONS, "solve.factor_operations")                                                          \
    entry(SOLVE_DEGREE, "solve.degree")                                                                                \
    entry(SOLVE_ORDER_ROWS, "solve.order_rows")                                                                        \
    entry(SOLVE_ORDER_TORN, "solve.order_torn")                                                                        \
    entry(KRYLOV_LANE_BYTES, "krylov.lane_bytes")                                                                      \
    entry(KRYLOV_GROUP, "krylov.group")                                                                                \
    entry(KRYLOV_GROUPS_PER_UNIT, "krylov.groups_per_unit")                                                            \
    entry(KRYLOV_PARTIALS_MOST, "krylov.partials_most")                                                                \
    entry(KRYLOV_AHEAD_SECONDS, "krylov.ahead_seconds")                                                                \
    entry(KRYLOV_AHEAD_MOST, "krylov.ahead_most")                                                                      \
    entry(BICGSTAB_PROJECTS, "bicgstab.projects_in_product")                                                           \
    entry(BENCH_PASS_BYTES, "bench.pass_bytes")                                                                        \
    entry(BENCH_PASS_ELEMENTS, "bench.pass_elements")                                                                  \
    entry(BENCH_GROUPS_PER_UNIT, "bench.groups_per_unit")                                                              \
    entry(BENCH_ONE_LAUNCH, "bench.one_launch")                                                                        \
    entry(BENCH_FLUSH_BYTES, "bench.flush_bytes")
/* clang-format on */

typedef enum ritz_constant {
#define RITZ_CONSTANT_SYMBOL(symbol, name) RITZ_##symbol,
    RITZ_CONSTANTS(RITZ_CONSTANT_SYMBOL)
#undef RITZ_CONSTANT_SYMBOL
        RITZ_N_CONSTANTS
} ritz_constant;
const char *ritz_constant_name(ritz_constant constant);

/* What the rows of a constant may ask about the case at hand. */
typedef struct ritz_fact {
    const char *name;
    double value;
} ritz_fact;

/* The value for a device and a case; no facts: NULL, 0. The table that is built in has a row for every device and case
   of each constant (a test looks); 0 where it has not. Reads the tables anew, some microseconds: for plans, not for
   launches. */
double ritz_tuned(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts);

/* The value for this device of a constant that asks about no facts, which the device remembers: for launches too. */
double ritz_device_tuned(ritz_device *device, ritz_constant constant);

/* Compute units as far as sums are cut into parts by them: the same for any number of a CPU's threads, so that results are
   the same bits. */
int64_t ritz_device_sum_units(ritz_device *device);

/* A value that is a word, as a method's name, likewise; "" where no row holds. A row whose value does not serve is passed
   over, and the next row or table is asked; the log tells so once, unless the row is built in. `serves` (NULL: all do) is
   called while the tables are held; `why` says what is wrong with the value, and may say what to do. */
enum { RITZ_TUNED_TEXT = 256, RITZ_TUNED_WHY = 384 };
typedef bool ritz_tuned_serves(void *context, const char *value, char why[RITZ_TUNED_WHY]);
void ritz_tuned_text(const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts, int n_facts,
                     ritz_tuned_serves *serves, void *context, char text[RITZ_TUNED_TEXT]);

/* The number from a table of the caller's. */
double ritz_tuned_in(const char *table, const ritz_device_info *device, ritz_constant constant, const ritz_fact *facts,
                     int n_facts, bool *found);
/* RITZ_ERROR_INPUT names the first line that is no row, or of no constant that there is, or has no number that it can have;
   *n_rows counts the rows. */
ritz_status ritz_tuning_check(const char *table, int64_t *n_rows);

/* ---- Tables in files (tuning_files.c) ----

   A file is

       ritz tuning 1
       device NAME           what it was measured on; a shipped file may leave these three away
       driver VERSION
       library VERSION
       ROW or # comment ...
       end N                 the number of rows: a file without it was cut

   The user's file is tuning-HASH.txt in the cache folder, one for each device and driver, or the one that RITZ_TUNING
   names; RITZ_TUNING=none: neither this nor a shipped file is read. */

/* Takes the tables for a device that is being opened. A file that cannot be used is named in the log, and the others
   serve. */
ritz_status ritz_tuning_load(const ritz_device_info *device);
/* The same of fewer tables, for what would be taken then. */
typedef enum ritz_tuning_tables { RITZ_TABLES_BUILT_IN = 0, RITZ_TABLES_SHIPPED, RITZ_TABLES_ALL } ritz_tuning_tables;
ritz_status ritz_tuning_load_tables(const ritz_device_info *device, ritz_tuning_tables which);
/* Where the user's file for the device stands; *path is the caller's, NULL where none is kept. */
ritz_status ritz_tuning_path(const ritz_device_info *device, char **path);
/* The rows and comments of the user's file, between its head and its end; *rows is the caller's, NULL where there is no
   file that can be used: then the log tells why, unless there is none and RITZ_TUNING does not name it. */
ritz_status ritz_tuning_read(const ritz_device_info *device, char **rows);
/* The same where there has to be a file: RITZ_ERROR_FILE, with what is wrong and what to do. */
ritz_status ritz_tuning_read_existing(const ritz_device_info *device, char **rows);
/* From now on what is wrong with tables is not logged: by a process that another one started, which tells it. */
void ritz_tuning_be_quiet(void);
/* Whether to log this about a table: for the first time in this process, which is not quiet. */
bool ritz_tuning_is_news(const char *line);
/* Replaces the user's file whole; devices that are opened from then on take it. RITZ_ERROR_FILE: it cannot be written.
   */
ritz_status ritz_tuning_write(const ritz_device_info *device, const char *rows);
/* Gives new rows for those that stand there, "" where there is no file that can be used; *changed is the caller's. */
typedef ritz_status ritz_tuning_changer(void *context, const char *rows, char **changed);
/* Replaces the user's file by what `change` makes of its rows as they are now; other processes that change files of the
   folder wait meanwhile. *rows: what was written, the caller's. */
ritz_status ritz_tuning_change(const ritz_device_info *device, ritz_tuning_changer *change, void *context, char **rows);
/* The text of such a file; *text is the caller's. */
ritz_status ritz_tuning_format(const ritz_device_info *device, const char *rows, char **text);
/* Rows that go before all tables in this process, for trials of a value; NULL: none. */
ritz_status ritz_tuning_override(const char *rows);

/* Another number once a table has changed, from 1 on. */
int ritz_tuning_generation(void);
/* The tables for a device, first ones first; n of them. They do not change until they are released. */
enum { RITZ_TUNING_TABLES = 4 };
typedef struct ritz_tuning_table {
    const char *rows;
    const char *what, *where; /* "the tuning file", its path; NULL for what is built in */
} ritz_tuning_table;
int ritz_tuning_hold(const ritz_device_info *device, ritz_tuning_table tables[RITZ_TUNING_TABLES]);
void ritz_tuning_let_go(void);
/* "name:NVIDIA_H200": how rows select just this device. */
void ritz_tuning_selector(const ritz_device_info *device, char text[RITZ_TUNED_TEXT + 8]);

#endif
