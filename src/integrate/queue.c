/* Chunks of elements handed out to streams, by their measured rates where there are several. */
#include "integrate/queue.h"

enum {
    FIRST_FRACTION = 1024, /* of all elements in a stream's first chunks, that its rate is measured by */
    LATER_FRACTION = 4     /* of what is left for a stream at its rate: two chunks are under way at a time */
};

ritz_status ritz_work_queue_begin(ritz_work_queue *queue, int64_t n_cells, int64_t unit, int n_streams,
                                  const int64_t *most)
{
    *queue = (ritz_work_queue){.n_cells = n_cells, .unit = unit, .n_streams = n_streams};
    for (int s = 0; s < n_streams; s++) {
        queue->streams[s].most = ritz_max64(unit, most[s] / unit * unit);
        queue->streams[s].least = ritz_min64(queue->streams[s].most, ritz_round_up(n_cells / FIRST_FRACTION + 1, unit));
    }
    if (pthread_mutex_init(&queue->lock, NULL) != 0)
        return ritz_fail(RITZ_ERROR_MEMORY, "the system has no lock for the elements' counter");
    return RITZ_OK;
}

void ritz_work_queue_end(ritz_work_queue *queue)
{
    pthread_mutex_destroy(&queue->lock);
}

/* Elements left for stream s: the first chunks of the others stay theirs, however late they come to take them, and what is
   left before those is whole units, so that they start at one. */
static int64_t count_left(const ritz_work_queue *queue, int s)
{
    const int64_t all = queue->n_cells - queue->next;
    int64_t left = all;
    for (int k = 0; k < queue->n_streams; k++)
        if (k != s && queue->streams[k].n_chunks == 0 && !queue->streams[k].has_left)
            left -= queue->streams[k].least;
    return left < all ? ritz_max64(left, 0) / queue->unit * queue->unit : all;
}

/* Elements that stream s should take of those that are left. 0 where the others have done with them before a single
   unit of its own: the fastest that has not left never leaves. */
static int64_t choose_count(const ritz_work_queue *queue, int s, int64_t left)
{
    const ritz_queue_stream *own = &queue->streams[s];
    double all = own->rate;
    bool fastest = true;
    if (queue->n_streams == 1)
        return own->most;
    if (own->rate <= 0)
        return own->least;
    for (int k = 0; k < queue->n_streams; k++)
        if (k != s && !queue->streams[k].has_left) { /* one that is not known yet counts as an equal */
            all += queue->streams[k].rate > 0 ? queue->streams[k].rate : own->rate;
            fastest = fastest && queue->streams[k].rate <= own->rate;
        }
    const double fair = (double)left * own->rate / all;
    if (!fastest && fair < 0.5 * (double)queue->unit)
        return 0;
    const int64_t share = (int64_t)(fair / LATER_FRACTION);
    return ritz_max64(queue->unit, ritz_min64(own->most, share / queue->unit * queue->unit));
}

void ritz_work_queue_take(ritz_work_queue *queue, int s, int64_t *first, int64_t *count)
{
    pthread_mutex_lock(&queue->lock);
    ritz_queue_stream *own = &queue->streams[s];
    const int64_t left = queue->stopped || own->has_left ? 0 : count_left(queue, s);
    *first = queue->next;
    *count = ritz_min64(left, left > 0 ? choose_count(queue, s, left) : 0);
    own->has_left = *count == 0;
    queue->next += *count;
    own->n_elements += *count;
    own->n_chunks += *count > 0;
    pthread_mutex_unlock(&queue->lock);
}

void ritz_work_queue_done(ritz_work_queue *queue, int s, int64_t count, double seconds)
{
    pthread_mutex_lock(&queue->lock);
    ritz_queue_stream *own = &queue->streams[s];
    const double rate = (double)count / (seconds > 1e-9 ? seconds : 1e-9);
    own->rate = own->rate > 0 ? 0.5 * (own->rate + rate) : rate; /* the later chunks, larger ones, count most */
    pthread_mutex_unlock(&queue->lock);
}

void ritz_work_queue_stop(ritz_work_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->stopped = true;
    pthread_mutex_unlock(&queue->lock);
}

void ritz_work_queue_leave(ritz_work_queue *queue, int s)
{
    pthread_mutex_lock(&queue->lock);
    queue->streams[s].has_left = true;
    pthread_mutex_unlock(&queue->lock);
}
