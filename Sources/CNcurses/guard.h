// Restores the terminal whatever happens to the process. Everything a signal handler calls is
// async-signal-safe: no allocation, no lock, no stdio, only memory prepared beforehand.
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1U
#endif

enum {
    CN_SIGNAL_COUNT = 13,
    CN_SEQUENCE_LIMIT = 512,
    CN_COMPLAINT_LIMIT = 64 * 1024,
    CN_STACK_SIZE = 256 * 1024,
};

typedef void (*cn_handler)(int, siginfo_t *_Nullable, void *_Nullable);

struct cn_guard {
    /// The process that opened the terminal; a forked child never restores it.
    pid_t owner;
    /// 1 while the terminal is in the program's modes.
    int armed;
    /// The number of SIGCONTs so far.
    int continued;
    /// One bit for each signal that asked the process to terminate.
    unsigned long asked;
    /// The handlers write a signal's number to [1]; the program reads [0].
    int wake[2];
    /// The real standard error, and the memory that replaces it; -1 if it is not replaced.
    int complaints, held;
    /// The stack of the handlers on a thread whose own stack is full.
    void *_Nonnull stack;
    struct termios modes;
    size_t length;
    char sequence[CN_SEQUENCE_LIMIT];
    struct sigaction previous[CN_SIGNAL_COUNT];
};

static inline int cn_signal(int index) {
    static const int numbers[CN_SIGNAL_COUNT] = {
        SIGILL, SIGTRAP, SIGABRT, SIGSEGV, SIGBUS, SIGFPE,
        SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGWINCH, SIGTSTP, SIGCONT,
    };
    return numbers[index];
}

static inline int cn_signal_index(int number) {
    for (int i = 0; i < CN_SIGNAL_COUNT; i++)
        if (cn_signal(i) == number) return i;
    return -1;
}

/// Creates the guard of this process, which lives as long as the process.
static inline struct cn_guard *_Nonnull cn_guard_make(void) {
    struct cn_guard *guard = calloc(1, sizeof *guard);
    void *stack = malloc(CN_STACK_SIZE);
    if (guard == NULL || stack == NULL || pipe2(guard->wake, O_CLOEXEC | O_NONBLOCK) != 0) abort();
    guard->stack = stack;
    guard->complaints = guard->held = -1;
    return guard;
}

/// Saves the modes and handlers, before ncurses changes both.
static inline void cn_guard_capture(struct cn_guard *_Nonnull guard) {
    guard->owner = getpid();
    guard->length = 0;
    tcgetattr(STDIN_FILENO, &guard->modes);
    for (int i = 0; i < CN_SIGNAL_COUNT; i++) sigaction(cn_signal(i), NULL, &guard->previous[i]);
}

/// Lets the handler run after a stack overflow on this thread.
///
/// On Linux the main actor moves between threads, none of which has a stack for signals. They share
/// this one, which is corrupted only by two crashes at the same moment.
static inline void cn_guard_lend_stack(struct cn_guard *_Nonnull guard) {
    stack_t own;
    if (sigaltstack(NULL, &own) != 0 || !(own.ss_flags & SS_DISABLE)) return;
    stack_t ours = {.ss_sp = guard->stack, .ss_size = CN_STACK_SIZE};
    sigaltstack(&ours, NULL);
}

/// Appends to the sequence that is written to the terminal to restore it.
static inline void cn_guard_append(struct cn_guard *_Nonnull guard, const char *_Nonnull text) {
    size_t count = strlen(text);
    if (guard->length + count > CN_SEQUENCE_LIMIT) return;
    memcpy(guard->sequence + guard->length, text, count);
    guard->length += count;
}

static inline void cn_guard_arm(struct cn_guard *_Nonnull guard, int armed) {
    __atomic_store_n(&guard->armed, armed, __ATOMIC_SEQ_CST);
}

/// Returns whether a signal asked the process to terminate.
static inline int cn_guard_was_asked_to_end(struct cn_guard *_Nonnull guard) {
    return __atomic_load_n(&guard->asked, __ATOMIC_SEQ_CST) != 0;
}

static inline int cn_guard_continued(struct cn_guard *_Nonnull guard) {
    return __atomic_load_n(&guard->continued, __ATOMIC_SEQ_CST);
}

/// Returns whether this job may change the terminal; also 1 if the terminal has no jobs.
static inline int cn_is_foreground(void) {
    pid_t group = tcgetpgrp(STDIN_FILENO);
    return group < 0 || group == getpgrp();
}

static inline void cn_write_all(int file, const char *_Nonnull bytes, size_t count) {
    while (count > 0) {
        // A terminal that accepts no output must not keep a dying process alive.
        struct pollfd ready = {.fd = file, .events = POLLOUT};
        if (poll(&ready, 1, 200) <= 0) return;
        ssize_t written = write(file, bytes, count);
        if (written < 0 && errno != EINTR && errno != EAGAIN) return;
        if (written > 0) bytes += written, count -= (size_t)written;
    }
}

/// Keeps standard error off the screen: output to it is held in memory.
static inline void cn_guard_hold_complaints(struct cn_guard *_Nonnull guard) {
    if (guard->held >= 0 || !isatty(STDERR_FILENO)) return;
    int real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    int memory = memfd_create("stderr", MFD_CLOEXEC);
    if (real < 0 || memory < 0 || dup2(memory, STDERR_FILENO) < 0) {
        if (real >= 0) close(real);
        if (memory >= 0) close(memory);
        return;
    }
    guard->complaints = real;
    __atomic_store_n(&guard->held, memory, __ATOMIC_SEQ_CST);
}

/// Restores standard error, and writes the last of the output that was held.
static inline void cn_guard_release_complaints(struct cn_guard *_Nonnull guard) {
    int memory = __atomic_exchange_n(&guard->held, -1, __ATOMIC_SEQ_CST);
    if (memory < 0) return;
    dup2(guard->complaints, STDERR_FILENO);
    off_t size = lseek(memory, 0, SEEK_END);
    off_t at = size > CN_COMPLAINT_LIMIT ? size - CN_COMPLAINT_LIMIT : 0;
    char bytes[1024];
    for (ssize_t count; (count = pread(memory, bytes, sizeof bytes, at)) > 0; at += count)
        cn_write_all(STDERR_FILENO, bytes, (size_t)count);
    close(guard->complaints);
    close(memory);
    guard->complaints = -1;
}

/// Restores the terminal without ncurses; does nothing if it is not in the program's modes.
static inline void cn_guard_restore(struct cn_guard *_Nonnull guard) {
    if (guard->owner != getpid()) return;
    if (__atomic_exchange_n(&guard->armed, 0, __ATOMIC_SEQ_CST)) {
        cn_write_all(STDOUT_FILENO, guard->sequence, guard->length);
        // In the background another job uses the modes, and setting them would stop this process.
        if (cn_is_foreground()) tcsetattr(STDIN_FILENO, TCSANOW, &guard->modes);
    }
    cn_guard_release_complaints(guard);
}

/// Terminates the process as if the signal had never been caught.
static inline void cn_die_of(int number) {
    struct sigaction none = {.sa_handler = SIG_DFL};
    sigaction(number, &none, NULL);
    raise(number);
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    _exit(128 + number);
}

/// Handles a crash: restores the terminal, calls the previous handler (Swift's backtracer), exits.
static inline void cn_guard_crash(struct cn_guard *_Nonnull guard, int number,
                                  siginfo_t *_Nullable info, void *_Nullable context) {
    cn_guard_restore(guard);
    struct sigaction previous = guard->previous[cn_signal_index(number)];
    sigaction(number, &previous, NULL);
    if (previous.sa_flags & SA_SIGINFO) {
        if (previous.sa_sigaction != NULL) previous.sa_sigaction(number, info, context);
    } else if (previous.sa_handler != SIG_DFL && previous.sa_handler != SIG_IGN) {
        previous.sa_handler(number);
    }
    cn_die_of(number);
}

/// Handles every caught signal.
static inline void cn_guard_receive(struct cn_guard *_Nonnull guard, int number,
                                    siginfo_t *_Nullable info, void *_Nullable context) {
    int error = errno;
    unsigned long bit = 1ul << number;
    switch (number) {
    case SIGILL: case SIGTRAP: case SIGABRT: case SIGSEGV: case SIGBUS: case SIGFPE:
        cn_guard_crash(guard, number, info, context);
        break;
    case SIGTERM: case SIGINT: case SIGQUIT:
        // Received twice: the program hangs. (A closing terminal sends SIGHUP twice by itself.)
        if (__atomic_fetch_or(&guard->asked, bit, __ATOMIC_SEQ_CST) & bit) {
            cn_guard_restore(guard);
            cn_die_of(number);
        }
        break;
    case SIGHUP:
        __atomic_fetch_or(&guard->asked, bit, __ATOMIC_SEQ_CST);
        break;
    case SIGCONT:
        __atomic_add_fetch(&guard->continued, 1, __ATOMIC_SEQ_CST);
        break;
    default:
        break;
    }
    unsigned char byte = (unsigned char)number;
    while (write(guard->wake[1], &byte, 1) < 0 && errno == EINTR) {}
    errno = error;
}

/// Installs the handlers; SIGHUP and SIGTSTP stay ignored if they were ignored before (nohup).
static inline void cn_guard_catch_signals(struct cn_guard *_Nonnull guard,
                                          cn_handler _Nonnull handler) {
    struct sigaction ours = {.sa_sigaction = handler};
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < CN_SIGNAL_COUNT; i++) {
        int number = cn_signal(i), may_be_ignored = number == SIGHUP || number == SIGTSTP;
        int spared = may_be_ignored && guard->previous[i].sa_handler == SIG_IGN;
        sigaction(number, spared ? &guard->previous[i] : &ours, NULL);
    }
}

static inline void cn_guard_leave_signals(struct cn_guard *_Nonnull guard) {
    for (int i = 0; i < CN_SIGNAL_COUNT; i++) sigaction(cn_signal(i), &guard->previous[i], NULL);
}

/// Returns the next signal to handle, or 0 if there is none.
static inline int cn_guard_next_signal(struct cn_guard *_Nonnull guard) {
    unsigned char byte = 0;
    return read(guard->wake[0], &byte, 1) == 1 ? byte : 0;
}

/// Stops the job as Ctrl-Z does, and returns 1 when it continues.
///
/// The whole group stops, because a shell notices only that. On Linux the main actor may not run
/// on the thread that takes the signal, so `kill` may return before the stop: hence the wait.
/// Without a shell to continue the job, the kernel discards the stop, and the function returns 0.
static inline int cn_guard_stop(struct cn_guard *_Nonnull guard) {
    struct sigaction stop = {.sa_handler = SIG_DFL}, ours;
    int before = cn_guard_continued(guard), again = 0;
    sigaction(SIGTSTP, NULL, &ours);
    if (ours.sa_handler == SIG_IGN) return 0;
    sigaction(SIGTSTP, &stop, NULL);
    kill(0, SIGTSTP);
    for (int i = 0; i < 20 && !again; i++) {
        struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
        nanosleep(&moment, NULL);
        again = cn_guard_continued(guard) != before;
    }
    sigaction(SIGTSTP, &ours, NULL);
    return again;
}
