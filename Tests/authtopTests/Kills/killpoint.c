// Kills the program it is loaded into at a named point of a refresh or of a logout.
//
// Loaded by LD_PRELOAD. It stands before the calls of the system that such a flight is made of,
// follows the flight by them, and ends the process by SIGKILL at the one point that was asked for:
//
//   KILLPOINT       the point's name
//   KILLPOINT_POST  the path of the request that belongs to the flight
//   KILLPOINT_ARM   a file: nothing happens before it is there; none: at once
//   KILLPOINT_HIT   a file: the point's name is written to it before the end

#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

// How far the flight is.
enum stage { idle, locked, journalled, posting, posted, answered, saved, released };

static _Atomic int stage = idle;
// Whether it has the lock: then it is a refresh.
static _Atomic int is_refresh;
// Of the connection with the flight's request.
static _Atomic int post_number = -1;
static _Atomic long post_total, post_sent;
static char answer[65536];
static _Atomic long answer_size;

// The record's temporary file, open in this thread, and what is being written to it.
static __thread int temporary = -1;
static __thread const char *writing;
// A record has its new name; the folder is not on the disk yet.
static __thread int renamed;

static int is_wanted(const char *name) {
    const char *point = getenv("KILLPOINT"), *arm = getenv("KILLPOINT_ARM");
    if (point == NULL || strcmp(point, name) != 0) return 0;
    return arm == NULL || syscall(SYS_faccessat, AT_FDCWD, arm, F_OK) == 0;
}

static void reach(const char *name) {
    int error = errno;
    if (is_wanted(name)) {
        const char *hit = getenv("KILLPOINT_HIT");
        int number = syscall(SYS_openat, AT_FDCWD, hit, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        syscall(SYS_write, number, name, strlen(name));
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    errno = error;
}

static void reach_part(const char *part) {
    char name[64];
    snprintf(name, sizeof name, "%s-%s", writing, part);
    reach(name);
}

static int is_wanted_part(const char *part) {
    char name[64];
    snprintf(name, sizeof name, "%s-%s", writing, part);
    return is_wanted(name);
}

static int ends_with(const char *text, const char *end) {
    size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

// ------------------------------------------------------------------------------- the flight lock

static int is_flight_lock(int number) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", number);
    ssize_t length = syscall(SYS_readlinkat, AT_FDCWD, link, path, sizeof path - 1);
    if (length <= 0) return 0;
    path[length] = 0;
    return ends_with(path, ".flight");
}

int flock(int number, int operation) {
    int result = syscall(SYS_flock, number, operation);
    if (result != 0 || !is_flight_lock(number)) return result;
    if (operation & LOCK_UN) {
        int was_saved = stage == saved;
        stage = was_saved ? released : idle;
        is_refresh = 0;
        if (was_saved) reach("lock-released");
    } else {
        stage = locked;
        is_refresh = 1;
        reach("flight-locked");
    }
    return result;
}

// ------------------------------------------------------------------------------------ the record

static int open_record(int folder, const char *path, int flags, mode_t mode) {
    int is_record = (flags & O_CREAT) != 0 && ends_with(path, ".vault.tmp");
    if (is_record) {
        writing = !is_refresh ? "tombstone" : stage == locked ? "journal" : "rotation";
        reach_part("opening");
    }
    int number = syscall(SYS_openat, folder, path, flags, mode);
    if (is_record) temporary = number;
    return number;
}

int openat(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_record(folder, path, flags, mode);
}

int openat64(int folder, const char *path, int flags, ...) {
    va_list rest;
    va_start(rest, flags);
    mode_t mode = (flags & O_CREAT) != 0 ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    return open_record(folder, path, flags, mode);
}

int renameat(int from, const char *old, int to, const char *new) {
    int result = syscall(SYS_renameat2, from, old, to, new, 0);
    if (result == 0 && ends_with(old, ".vault.tmp")) {
        renamed = 1;
        reach_part("renamed");
    }
    return result;
}

int fsync(int number) {
    int result = syscall(SYS_fsync, number);
    if (result != 0) return result;
    struct stat status;
    if (number == temporary && number >= 0) {
        temporary = -1;
        reach_part("synced");
    } else if (renamed && fstat(number, &status) == 0 && S_ISDIR(status.st_mode)) {
        renamed = 0;
        if (stage == locked) stage = journalled;
        if (stage == answered) stage = saved;
        reach_part("durable");
    }
    return result;
}

// ----------------------------------------------------------------------------------- the request

static long size_of(const struct iovec *parts, int count) {
    long size = 0;
    for (int index = 0; index < count; index++) size += parts[index].iov_len;
    return size;
}

// The value of Content-Length in a head that is there whole; -1: it is not.
static long body_size(const char *text, long size, long *head) {
    const char *end = memmem(text, size, "\r\n\r\n", 4);
    if (end == NULL) return -1;
    *head = end - text + 4;
    for (const char *line = text; line < end; line++) {
        if (strncasecmp(line, "\r\ncontent-length:", 17) == 0) return atol(line + 17);
    }
    return 0;
}

// Whether the flight's request begins here.
static int begins_post(const struct iovec *parts, int count) {
    static char text[16384];
    const char *path = getenv("KILLPOINT_POST");
    if (path == NULL || count == 0 || parts[0].iov_len < 5) return 0;
    if (memcmp(parts[0].iov_base, "POST ", 5) != 0) return 0;
    long size = 0, head = 0;
    for (int index = 0; index < count; index++) {
        long length = parts[index].iov_len;
        if (size + length >= (long)sizeof text) break;
        memcpy(text + size, parts[index].iov_base, length);
        size += length;
    }
    text[size] = 0;
    char *line = strstr(text, "\r\n");
    if (line == NULL || memmem(text, line - text, path, strlen(path)) == NULL) return 0;
    long body = body_size(text, size, &head);
    if (body < 0) return 0;
    post_total = head + body;
    post_sent = 0;
    answer_size = 0;
    return 1;
}

static void send_up_to(int number, const struct iovec *parts, int count, long limit) {
    for (int index = 0; index < count && limit > 0; index++) {
        long length = (long)parts[index].iov_len < limit ? (long)parts[index].iov_len : limit;
        syscall(SYS_write, number, parts[index].iov_base, length);
        limit -= length;
    }
}

static ssize_t write_parts(int number, const struct iovec *parts, int count) {
    if (number == temporary && number >= 0) {
        if (is_wanted_part("half")) {
            send_up_to(number, parts, count, size_of(parts, count) / 2);
            reach_part("half");
        }
        ssize_t result = syscall(SYS_writev, number, parts, count);
        reach_part("written");
        return result;
    }
    if (begins_post(parts, count)) {
        post_number = number;
        stage = posting;
        reach("post-opening");
    }
    if (stage == released && count > 0 && parts[0].iov_len > 4
        && memcmp(parts[0].iov_base, "GET ", 4) == 0
        && memmem(parts[0].iov_base, parts[0].iov_len, "websocket", 9) != NULL) {
        reach("feed-dialing");
    }
    if (stage != posting || number != post_number) {
        return syscall(SYS_writev, number, parts, count);
    }
    long half = post_total / 2 - post_sent;
    if (half > 0 && size_of(parts, count) >= half && is_wanted("post-half")) {
        send_up_to(number, parts, count, half);
        reach("post-half");
    }
    ssize_t result = syscall(SYS_writev, number, parts, count);
    if (result > 0) post_sent += result;
    if (post_sent >= post_total) {
        stage = posted;
        reach("post-sent");
    }
    return result;
}

ssize_t write(int number, const void *bytes, size_t size) {
    struct iovec part = {(void *)bytes, size};
    return write_parts(number, &part, 1);
}

ssize_t writev(int number, const struct iovec *parts, int count) {
    return write_parts(number, parts, count);
}

// ------------------------------------------------------------------------------------ the answer

ssize_t read(int number, void *bytes, size_t size) {
    if (stage != posted || number != post_number) return syscall(SYS_read, number, bytes, size);
    struct pollfd ready = {number, POLLIN, 0};
    if (poll(&ready, 1, 0) == 1 && (ready.revents & POLLIN) != 0) reach("answer-unread");
    ssize_t result = syscall(SYS_read, number, bytes, size);
    if (result <= 0 || answer_size + result > (long)sizeof answer) return result;
    memcpy(answer + answer_size, bytes, result);
    answer_size += result;
    long head = 0, body = body_size(answer, answer_size, &head);
    if (body >= 0 && answer_size >= head + body) {
        stage = answered;
        reach("answer-read");
    }
    return result;
}
