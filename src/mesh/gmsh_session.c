/* Sessions with Gmsh, which is one global state: initialise, silence, collect its errors, restore what it changed. */
#include "mesh/gmsh_session.h"

#ifdef RITZ_GMSH
#include <fcntl.h>
#include <gmshc.h>
#include <locale.h>
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* OpenCASCADE, inside Gmsh, prints on standard output whatever it is told; for the time of a session that leads
   nowhere. */
static int silence_stdout(void)
{
    int nowhere = open("/dev/null", O_WRONLY), kept = -1;
    fflush(stdout);
    if (nowhere >= 0)
        kept = dup(STDOUT_FILENO);
    if (kept >= 0)
        dup2(nowhere, STDOUT_FILENO);
    if (nowhere >= 0)
        close(nowhere);
    return kept;
}

static void restore_stdout(int kept)
{
    fflush(stdout);
    if (kept < 0)
        return;
    dup2(kept, STDOUT_FILENO);
    close(kept);
}

ritz_status ritz_gmsh_open(ritz_gmsh_session *session)
{
    ritz_status status = RITZ_OK;
    int error;
    *session = (ritz_gmsh_session){0};
    pthread_mutex_lock(&lock);
    session->open = true;
    session->n_threads = omp_get_max_threads();
    RITZ_TRY(ritz_copy_text(setlocale(LC_ALL, NULL), &session->locale));
    session->stdout_kept = silence_stdout();
    gmshInitialize(0, NULL, 0, &error); /* installs no signal handlers; reads none of the user's options */
    RITZ_REQUIRE(error == 0, RITZ_ERROR_FILE, "Gmsh's library does not start (error %d); install libgmsh4.8", error);
    gmshOptionSetNumber("General.Terminal", 0, &error);
    gmshOptionSetNumber("General.AbortOnError", 0, &error); /* an exception out of its parser spoils the next file */
    gmshOptionSetNumber("General.NumThreads", 1, &error);
    gmshOptionSetNumber("Mesh.RandomSeed", 1, &error);
    gmshLoggerStart(&error);
done:
    if (status)
        ritz_gmsh_close(session);
    return status;
}

/* Passes Gmsh's warnings on. */
static void log_warnings(void)
{
    char **lines = NULL;
    size_t n = 0;
    int error;
    gmshLoggerGet(&lines, &n, &error);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(lines[i], "Warning: ", 9) == 0)
            ritz_log("Gmsh: %s", lines[i] + 9);
        gmshFree(lines[i]);
    }
    gmshFree(lines);
}

void ritz_gmsh_close(ritz_gmsh_session *session)
{
    int error;
    if (!session->open)
        return;
    if (session->locale) {
        log_warnings();
        gmshLoggerStop(&error);
        gmshClear(&error);
        gmshFinalize(&error);
        restore_stdout(session->stdout_kept);
        setlocale(LC_ALL, session->locale);
        omp_set_num_threads(session->n_threads);
    }
    ritz_free(session->locale);
    *session = (ritz_gmsh_session){0};
    pthread_mutex_unlock(&lock);
}

/* The first error that Gmsh logged, copied into text without its label; false if there is none. */
static bool first_error(char *text, size_t size)
{
    char **lines = NULL;
    size_t n = 0;
    int error;
    bool found = false;
    gmshLoggerGet(&lines, &n, &error);
    for (size_t i = 0; i < n; i++) {
        if (!found && strncmp(lines[i], "Error: ", 7) == 0) {
            snprintf(text, size, "%s", lines[i] + 7);
            found = true;
        }
        gmshFree(lines[i]);
    }
    gmshFree(lines);
    return found;
}

ritz_status ritz_gmsh_refuse(const char *doing)
{
    char text[1024] = "it gives no reason";
    first_error(text, sizeof text);
    return ritz_fail(RITZ_ERROR_INPUT, "Gmsh could not %s: %s", doing, text);
}

ritz_status ritz_gmsh_judge(int error, const char *doing)
{
    char text[1024];
    if (error == 0 && !first_error(text, sizeof text))
        return RITZ_OK;
    return ritz_gmsh_refuse(doing);
}
#endif
