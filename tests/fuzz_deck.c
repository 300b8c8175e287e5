/* libFuzzer target: any bytes as a deck (.inp). Reading, the mesh, and the translation into a problem file, whose text has to
   be one that YAML can read: printable, and with as many quotes as it needs.
   Build with clang and -DRITZ_FUZZ=ON; run: fuzz_deck -max_total_time=60 -close_fd_mask=1 tests/corpus/deck */
#include "deck/translate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char path[64];

static void remove_file(void)
{
    unlink(path);
}

static void check_text(const ritz_deck_problem *problem)
{
    int n_quotes = 0, n_lines = 0;
    for (const char *c = problem->text; *c; c++) {
        n_quotes += *c == '"';
        n_lines += *c == '\n';
        if (*c == '\n' ? n_quotes % 2 != 0 : (unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            abort();
    }
    if (n_lines != problem->n_lines)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ritz_deck_problem problem = {0};
    ritz_deck *deck = NULL;
    ritz_mesh *mesh = NULL;
    if (!*path) {
        snprintf(path, sizeof path, "/tmp/ritz-fuzz-%ld.inp", (long)getpid());
        atexit(remove_file);
    }
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(data, 1, size, file) != size)
        abort();
    fclose(file);
    if (ritz_deck_translate(path, "part.inp", "part.dat", &problem) == RITZ_OK)
        check_text(&problem);
    else if (problem.text || !*ritz_message())
        abort();
    ritz_deck_problem_free(&problem);
    if (ritz_deck_read(path, &deck) == RITZ_OK && ritz_deck_make_mesh(deck, &mesh) != RITZ_OK && mesh)
        abort();
    ritz_mesh_destroy(&mesh);
    ritz_deck_destroy(&deck);
    return 0;
}
