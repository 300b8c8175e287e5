/* Advisory locks on folders. They leave no file behind, and the system releases them when a process ends. */
#include "base/lock.h"
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

int ritz_lock_folder(const char *folder)
{
    int lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (lock >= 0 && flock(lock, LOCK_EX) != 0)
        if (errno != EINTR || ritz_is_interrupted()) {
            close(lock);
            lock = -1;
        }
    return lock;
}

void ritz_unlock_folder(int lock)
{
    if (lock >= 0)
        close(lock);
}
