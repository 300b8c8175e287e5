"""Times of work that several ranks share."""
import statistics
import time

from mpi4py import MPI


def measure(repeat, run):
    """Seconds of each of `repeat` runs, the slowest rank's, after one run to warm up."""
    run()
    seconds = []
    for _ in range(repeat):
        MPI.COMM_WORLD.Barrier()
        begin = time.perf_counter()
        run()
        seconds.append(MPI.COMM_WORLD.allreduce(time.perf_counter() - begin, op=MPI.MAX))
    return {"min": min(seconds), "median": statistics.median(seconds)}
