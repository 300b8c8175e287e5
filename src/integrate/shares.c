/* Chunks of elements handed out to streams, by their measured rates where there are several. */
#include "integrate/shares.h"

enum {
    FIRST_PARTS = 1024, /* of all elements in a stream's first chunks, that its rate is measured by */
    LATER_PARTS = 4     /* of what is left for a stream at its rate: two chunks are under way at a time */
};

ritz_status ritz_shares_begin(ritz_shares *shares, int64_t n_cells, int64_t unit, int n_streams, const int64_t *most)
{
    *shares = (ritz_shares){.n_cells = n_cells, .unit = unit, .n_streams = n_streams};
    for (int s = 0; s < n_streams; s++) {
        shares->share[s].most = ritz_max64(unit, most[s] / unit * unit);
        shares->share[s].least = ritz_min64(shares->share[s].most, ritz_round_up(n_cells / FIRST_PARTS + 1, unit));
    }
    if (pthread_mutex_init(&shares->lock, NULL) != 0)
        return ritz_fail(RITZ_ERROR_MEMORY, "the system gives no lock for the elements' counter");
    return RITZ_OK;
}

void ritz_shares_end(ritz_shares *shares)
{
    pthread_mutex_destroy(&shares->lock);
}

/* Elements left for stream s: the first chunks of the others stay theirs, however late they come to take them. */
static int64_t count_left(const ritz_shares *shares, int s)
{
    int64_t left = shares->n_cells - shares->next;
    for (int k = 0; k < shares->n_streams; k++)
        if (k != s && shares->share[k].n_chunks == 0 && !shares->share[k].has_left)
            left -= shares->share[k].least;
    return ritz_max64(left, 0);
}

/* Elements that stream s should take of those that are left. 0 where the others have done with them before a single
   unit of its own: the fastest that has not left never leaves. */
static int64_t choose_count(const ritz_shares *shares, int s, int64_t left)
{
    const ritz_share *own = &shares->share[s];
    double all = own->rate;
    bool fastest = true;
    if (shares->n_streams == 1)
        return own->most;
    if (own->rate <= 0)
        return own->least;
    for (int k = 0; k < shares->n_streams; k++)
        if (k != s && !shares->share[k].has_left) { /* one that is not known yet counts as an equal */
            all += shares->share[k].rate > 0 ? shares->share[k].rate : own->rate;
            fastest = fastest && shares->share[k].rate <= own->rate;
        }
    const double fair = (double)left * own->rate / all;
    if (!fastest && fair < 0.5 * (double)shares->unit)
        return 0;
    const int64_t part = (int64_t)(fair / LATER_PARTS);
    return ritz_max64(shares->unit, ritz_min64(own->most, part / shares->unit * shares->unit));
}

void ritz_shares_take(ritz_shares *shares, int s, int64_t *first, int64_t *count)
{
    pthread_mutex_lock(&shares->lock);
    ritz_share *own = &shares->share[s];
    const int64_t left = shares->stopped || own->has_left ? 0 : count_left(shares, s);
    *first = shares->next;
    *count = ritz_min64(left, left > 0 ? choose_count(shares, s, left) : 0);
    own->has_left = *count == 0;
    shares->next += *count;
    own->n_elements += *count;
    own->n_chunks += *count > 0;
    pthread_mutex_unlock(&shares->lock);
}

void ritz_shares_done(ritz_shares *shares, int s, int64_t count, double seconds)
{
    pthread_mutex_lock(&shares->lock);
    ritz_share *own = &shares->share[s];
    const double rate = (double)count / (seconds > 1e-9 ? seconds : 1e-9);
    own->rate = own->rate > 0 ? 0.5 * (own->rate + rate) : rate; /* the later chunks, larger ones, count most */
    pthread_mutex_unlock(&shares->lock);
}

void ritz_shares_stop(ritz_shares *shares)
{
    pthread_mutex_lock(&shares->lock);
    shares->stopped = true;
    pthread_mutex_unlock(&shares->lock);
}

void ritz_shares_leave(ritz_shares *shares, int s)
{
    pthread_mutex_lock(&shares->lock);
    shares->share[s].has_left = true;
    pthread_mutex_unlock(&shares->lock);
}
