// Everything that a handler reaches is async-signal-safe.
#define _GNU_SOURCE
#include "signals.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 6 };
static const int numbers[COUNT] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGCONT};

/// The handlers write a byte to [1] for each signal.
static int wake[2] = {-1, -1};
static pthread_once_t opened = PTHREAD_ONCE_INIT;
/// The handlers of `cs_watch` write a signal's number to [1].
static int reports[2] = {-1, -1};
static pthread_once_t watched = PTHREAD_ONCE_INIT;
static int continued, stops;
/// One bit for each signal that asked the process to end.
static unsigned long asked;
static struct sigaction previous[COUNT];

static void open_wake(void) {
    if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0) abort();
}

static void receive(int number) {
    int error = errno;
    if (number == SIGCONT) __atomic_add_fetch(&continued, 1, __ATOMIC_SEQ_CST);
    else if (number == SIGTSTP) __atomic_add_fetch(&stops, 1, __ATOMIC_SEQ_CST);
    else __atomic_fetch_or(&asked, 1ul << number, __ATOMIC_SEQ_CST);
    unsigned char byte = (unsigned char)number;
    while (write(wake[1], &byte, 1) < 0 && errno == EINTR) {}
    errno = error;
}

void cs_catch(int catches_stops) {
    pthread_once(&opened, open_wake);
    struct sigaction ours = {.sa_handler = receive, .sa_flags = SA_RESTART};
    sigemptyset(&ours.sa_mask);
    for (int i = 0; i < COUNT; i++) {
        sigaction(numbers[i], NULL, &previous[i]);
        if (numbers[i] == SIGTSTP && !catches_stops) continue;
        if (previous[i].sa_handler == SIG_DFL) sigaction(numbers[i], &ours, NULL);
    }
}

void cs_release(void) {
    for (int i = 0; i < COUNT; i++) {
        struct sigaction present;
        sigaction(numbers[i], NULL, &present);
        if (present.sa_handler == receive) sigaction(numbers[i], &previous[i], NULL);
    }
}

static void report(int number) {
    int error = errno;
    unsigned char byte = (unsigned char)number;
    while (write(reports[1], &byte, 1) < 0 && errno == EINTR) {}
    errno = error;
}

// The pipe exists before the first handler; a signal before that ends the process, as it should.
static void open_reports(void) {
    if (pipe2(reports, O_CLOEXEC | O_NONBLOCK) != 0) abort();
    struct sigaction ours = {.sa_handler = report, .sa_flags = SA_RESTART}, present;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGHUP, NULL, &present);
    if (present.sa_handler != SIG_IGN) sigaction(SIGHUP, &ours, NULL);
    sigaction(SIGINT, &ours, NULL);
    sigaction(SIGTERM, &ours, NULL);
}

int cs_watch(void) {
    pthread_once(&watched, open_reports);
    return reports[0];
}

int cs_wake_descriptor(void) {
    pthread_once(&opened, open_wake);
    return wake[0];
}

void cs_drain(void) {
    unsigned char bytes[64];
    while (read(wake[0], bytes, sizeof bytes) > 0) {}
}

int cs_continued(void) { return __atomic_load_n(&continued, __ATOMIC_SEQ_CST); }
int cs_stops(void) { return __atomic_load_n(&stops, __ATOMIC_SEQ_CST); }

int cs_asked_to_end(void) {
    unsigned long bits = __atomic_load_n(&asked, __ATOMIC_SEQ_CST);
    for (int i = 0; i < COUNT; i++)
        if (bits & (1ul << numbers[i])) return numbers[i];
    return 0;
}

// The whole group stops, because a shell notices only that. `kill` may return before the stop if
// another thread takes the signal: hence the wait. Without a shell the kernel discards the stop.
int cs_stop(void) {
    struct sigaction stop = {.sa_handler = SIG_DFL}, present;
    int before = cs_continued(), again = 0;
    sigaction(SIGTSTP, NULL, &present);
    if (present.sa_handler == SIG_IGN) return 0;
    sigaction(SIGTSTP, &stop, NULL);
    kill(0, SIGTSTP);
    for (int i = 0; i < 20 && !again; i++) {
        struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
        nanosleep(&moment, NULL);
        again = cs_continued() != before;
    }
    sigaction(SIGTSTP, &present, NULL);
    return again;
}

void cs_die_of(int number) {
    struct sigaction none = {.sa_handler = SIG_DFL};
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, number);
    sigaction(number, &none, NULL);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
    kill(getpid(), number);
    // Another thread may take the signal.
    for (int i = 0; i < 100; i++) {
        struct timespec moment = {.tv_nsec = 10 * 1000 * 1000};
        nanosleep(&moment, NULL);
    }
    _exit(128 + number);
}

unsigned long cs_ignored(void) {
    unsigned long ignored = 0;
    for (int number = 1; number < 32; number++) {
        struct sigaction present;
        if (sigaction(number, NULL, &present) == 0 && present.sa_handler == SIG_IGN)
            ignored |= 1ul << number;
    }
    return ignored;
}

static void ignore(int number) { (void)number; }

void cs_outlive_readers(void) {
    struct sigaction present;
    if (sigaction(SIGPIPE, NULL, &present) != 0 || present.sa_handler != SIG_DFL) return;
    struct sigaction ours = {.sa_handler = ignore, .sa_flags = SA_RESTART};
    sigemptyset(&ours.sa_mask);
    sigaction(SIGPIPE, &ours, NULL);
}

static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2};
/// 0 before there is a child, negative after its end.
static int relay_child;
/// One bit for each signal that has to be passed on.
static unsigned long relay_pending;

static void relay_flush(void) {
    int child = __atomic_load_n(&relay_child, __ATOMIC_SEQ_CST);
    if (child <= 0) return;
    unsigned long bits = __atomic_exchange_n(&relay_pending, 0, __ATOMIC_SEQ_CST);
    for (int number = 1; number < 32; number++)
        if (bits & (1ul << number)) kill(child, number);
}

static void relay(int number, siginfo_t *info, void *context) {
    (void)context;
    int error = errno;
    int hasChild = __atomic_load_n(&relay_child, __ATOMIC_SEQ_CST) != 0;
    if (!hasChild || info->si_code != SI_KERNEL) {
        __atomic_fetch_or(&relay_pending, 1ul << number, __ATOMIC_SEQ_CST);
        relay_flush();
    }
    errno = error;
}

void cs_relay_begin(unsigned long ignored) {
    __atomic_store_n(&relay_child, 0, __ATOMIC_SEQ_CST);
    struct sigaction ours = {.sa_sigaction = relay, .sa_flags = SA_RESTART | SA_SIGINFO};
    struct sigaction none = {.sa_handler = SIG_IGN};
    sigemptyset(&ours.sa_mask);
    sigemptyset(&none.sa_mask);
    for (unsigned i = 0; i < sizeof passed_on / sizeof *passed_on; i++)
        sigaction(passed_on[i], ignored & (1ul << passed_on[i]) ? &none : &ours, NULL);
}

void cs_relay_to(int child) {
    __atomic_store_n(&relay_child, child, __ATOMIC_SEQ_CST);
    relay_flush();
}

void cs_relay_end(void) { __atomic_store_n(&relay_child, -1, __ATOMIC_SEQ_CST); }

void cs_set_foreground(int terminal, int group) {
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGTTOU);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    tcsetpgrp(terminal, group);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

enum cs_state cs_look_at(int child, int *value) {
    int status = 0;
    if (waitpid(child, &status, WNOHANG | WUNTRACED) != child) return CS_RUNS;
    if (WIFSTOPPED(status)) return *value = WSTOPSIG(status), CS_STOPPED;
    if (WIFSIGNALED(status)) return *value = WTERMSIG(status), CS_SIGNALED;
    return *value = WEXITSTATUS(status), CS_EXITED;
}
