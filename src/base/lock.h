/* A lock between processes: one at a time does what concerns the files of a folder. */
#ifndef RITZ_SRC_LOCK_H
#define RITZ_SRC_LOCK_H

/* Waits until no other process (and no other thread) holds the lock of the folder; -1 where the folder cannot be read,
   its file system has no locks, or an interrupt came: then none is held. */
int ritz_lock_folder(const char *folder);
/* Lets go of what ritz_lock_folder gave, -1 too. */
void ritz_unlock_folder(int lock);

#endif
