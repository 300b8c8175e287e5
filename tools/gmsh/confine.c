/* A filter of system calls (seccomp) for files that Ritz's user did not write: .geo files are programs, with commands
   that run others and write files, and any reader may have holes. What is kept out is counted by the kernel, not by what
   the file says, so that no spelling of a command gets round it. */
#include "ritz_gmsh.h"

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __x86_64__
#define ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* Calls that start a program or a process. */
static const int starting[] = {
    SYS_execve,
    SYS_execveat,
#ifdef SYS_fork
    SYS_fork,
    SYS_vfork,
#endif
};
/* Calls that change files or reach out. */
static const int changing[] = {
    SYS_unlinkat,  SYS_renameat,  SYS_renameat2, SYS_mkdirat,    SYS_linkat,
    SYS_symlinkat, SYS_mknodat,   SYS_truncate,  SYS_ftruncate,  SYS_fchmod,
    SYS_fchmodat,  SYS_fchown,    SYS_fchownat,  SYS_utimensat,  SYS_setxattr,
    SYS_fsetxattr, SYS_lsetxattr, SYS_socket,    SYS_socketpair, SYS_process_vm_writev,
    SYS_ptrace,    SYS_kill,      SYS_mount,     SYS_umount2,    SYS_bpf,
    SYS_prlimit64,
#ifdef SYS_unlink
    SYS_unlink,    SYS_rename,    SYS_mkdir,     SYS_rmdir,      SYS_link,
    SYS_symlink,   SYS_mknod,     SYS_creat,     SYS_chmod,      SYS_chown,
    SYS_lchown,    SYS_utime,     SYS_utimes,
#endif
};
/* Calls whose arguments a filter cannot see: they seem not to exist, and C libraries use the old ones instead. */
static const int hidden[] = {SYS_clone3, SYS_io_uring_setup, SYS_openat2};

enum { MOST = 256 };

typedef struct program {
    struct sock_filter code[MOST];
    unsigned short n;
} program;

static void add_step(program *p, struct sock_filter step)
{
    if (p->n < MOST)
        p->code[p->n++] = step;
}

static void load_field(program *p, size_t offset)
{
    add_step(p, (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (unsigned)offset));
}

/* The next step answers a call, the one after it any other. */
static void on_call(program *p, int call)
{
    add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 1));
}

static void answer_call(program *p, unsigned how)
{
    add_step(p, (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, how));
}

static void answer_all(program *p, const int *calls, size_t n, unsigned how)
{
    for (size_t i = 0; i < n; i++) {
        on_call(p, calls[i]);
        answer_call(p, how);
    }
}

/* `call` is answered so where its argument has one of the bits (set) or none of them (!set). */
static void answer_flags(program *p, int call, int argument, unsigned bits, bool set, unsigned how)
{
    add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)call, 0, 4));
    load_field(p, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
    add_step(p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, bits, set ? 0 : 1, set ? 1 : 0));
    answer_call(p, how);
    answer_call(p, SECCOMP_RET_ALLOW);
}

/* The end, by a call that was kept out. Async-signal-safe. */
static void tell_refusal(int signal)
{
    static const char text[] =
        "error: it writes, changes or removes a file (Save, Print, CreateDir or the like), which it "
        "may do only when you trust it: take the command out, or add --trust-geometry\n";
    (void)signal;
    const ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    (void)n; /* there is nobody else to tell */
    _exit(1);
}

bool confine(void)
{
    static program p;
    const struct sigaction action = {.sa_handler = tell_refusal};
    const unsigned end = SECCOMP_RET_KILL_PROCESS, refuse = SECCOMP_RET_TRAP; /* a library may have blocked signals */
    const unsigned writing = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND;
    load_field(&p, offsetof(struct seccomp_data, arch));
    add_step(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0));
    answer_call(&p, end);
    load_field(&p, offsetof(struct seccomp_data, nr));
#ifdef __x86_64__ /* the second set of call numbers, for programs of 32-bit pointers */
    add_step(&p, (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000u, 0, 1));
    answer_call(&p, end);
#endif
    answer_all(&p, starting, sizeof starting / sizeof *starting, end);
    answer_all(&p, changing, sizeof changing / sizeof *changing, refuse);
    answer_all(&p, hidden, sizeof hidden / sizeof *hidden, SECCOMP_RET_ERRNO | ENOSYS);
#ifdef SYS_open
    answer_flags(&p, SYS_open, 1, writing, true, refuse);
#endif
    answer_flags(&p, SYS_openat, 2, writing, true, refuse);
    answer_flags(&p, SYS_clone, 0, CLONE_THREAD, false, end);
    answer_call(&p, SECCOMP_RET_ALLOW);
    const struct sock_fprog filter = {p.n, p.code};
    return p.n < MOST && sigaction(SIGSYS, &action, NULL) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

#else

bool confine(void)
{
    return false;
}

#endif
