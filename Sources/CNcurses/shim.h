// ncurses for Swift: its macros and globals as plain functions, which make no decisions.
#pragma once

#define NCURSES_WIDECHAR 1

#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <locale.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

#ifndef MFD_CLOEXEC
#define MFD_CLOEXEC 1U
#endif

enum { CN_BOLD = 1, CN_DIM = 2, CN_REVERSED = 4, CN_UNDERLINED = 8 };

static inline int cn_set_character_locale(const char *_Nonnull name) {
    return setlocale(LC_CTYPE, name) != NULL;
}

static inline int cn_locale_is_utf8(void) {
    const char *codeset = nl_langinfo(CODESET);
    return codeset != NULL && codeset[0] == 'U' && codeset[1] == 'T' && codeset[2] == 'F' &&
           codeset[3] == '-' && codeset[4] == '8' && codeset[5] == 0;
}

/// Returns the columns of a character in the locale; negative if it cannot be printed.
static inline int cn_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

/// Looks up a terminal without writing to it: returns 1 if found, 0 if not, -1 without a database.
static inline int cn_find_description(const char *_Nonnull term) {
    int found = -1;
    setupterm(term, STDOUT_FILENO, &found);
    return found;
}

static inline void cn_forget_description(void) {
    if (cur_term != NULL) del_curterm(cur_term);
}

/// Returns a string capability by its terminfo name, or null if the terminal does not have it.
static inline const char *_Nullable cn_capability(const char *_Nonnull name) {
    const char *value = tigetstr(name);
    return value == (const char *)-1 ? NULL : value;
}

/// The descriptor that only ncurses writes to, and the memory that a frame is composed in; -1
/// without it. `synchronized` is 1 if the terminal is told where a frame begins and ends.
struct cn_output {
    int own, frame, synchronized;
};

/// Opens the terminal; both live as long as the process.
static inline struct cn_output *_Nullable cn_open(const char *_Nonnull term) {
    struct cn_output *output = calloc(1, sizeof *output);
    if (output == NULL) return NULL;
    output->own = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
    FILE *file = output->own < 0 ? NULL : fdopen(output->own, "w");
    output->frame = file == NULL ? -1 : memfd_create("frame", MFD_CLOEXEC);
    return newterm(term, file == NULL ? stdout : file, stdin) == NULL ? NULL : output;
}

/// Sets raw mode without echo, scrolling or a visible cursor: every key arrives when it is pressed.
static inline void cn_configure(void) {
    raw();
    noecho();
    nonl();
    curs_set(0);
    scrollok(stdscr, FALSE);
    leaveok(stdscr, TRUE);
    typeahead(-1);
    set_escdelay(25);
}

/// Opens a window only for reading keys: reading from `stdscr` would also redraw it.
static inline WINDOW *_Nullable cn_open_keys(void) {
    WINDOW *keys = newpad(1, 1);
    if (keys != NULL) {
        keypad(keys, TRUE);
        nodelay(keys, TRUE);
    }
    return keys;
}

/// Returns the number of colors, or 0; if `defaults` is 1, color -1 is the terminal's default.
static inline int cn_start_colors(int *_Nonnull defaults) {
    *defaults = 0;
    if (!has_colors() || start_color() == ERR) return 0;
    *defaults = use_default_colors() == OK;
    return COLORS;
}

static inline int cn_pair_limit(void) { return COLOR_PAIRS; }
static inline int cn_rows(void) { return getmaxy(stdscr); }
static inline int cn_columns(void) { return getmaxx(stdscr); }
static inline void cn_erase(void) { werase(stdscr); }

/// Writes a frame, however long the terminal takes.
static inline void cn_write_frame(const char *_Nonnull bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(STDOUT_FILENO, bytes, count);
        if (written > 0) {
            bytes += written, count -= (size_t)written;
        } else if (written < 0 && errno == EAGAIN) {
            struct pollfd ready = {.fd = STDOUT_FILENO, .events = POLLOUT};
            poll(&ready, 1, -1);
        } else if (written == 0 || errno != EINTR) {
            return;
        }
    }
}

/// Synchronized output (DEC private mode 2026): what is between both is shown at once.
#define CN_BEGIN_FRAME "\033[?2026h"
#define CN_END_FRAME "\033[?2026l"

/// Shows the window. ncurses writes each time that it has moved the cursor, and the terminal could
/// show a frame that is half done: therefore the frame is composed in memory and written at once,
/// and a terminal that knows how shows it at once, too.
static inline void cn_show(const struct cn_output *_Nonnull output) {
    if (output->frame < 0 || dup3(output->frame, output->own, O_CLOEXEC) < 0) {
        wrefresh(stdscr);
        return;
    }
    off_t start = 0;
    if (output->synchronized) {
        ssize_t written = write(output->frame, CN_BEGIN_FRAME, sizeof CN_BEGIN_FRAME - 1);
        start = written > 0 ? written : 0;
    }
    wrefresh(stdscr);
    dup3(STDOUT_FILENO, output->own, O_CLOEXEC);
    off_t rest = lseek(output->frame, 0, SEEK_CUR);
    // Nothing differs.
    if (rest <= start) rest = 0;
    if (rest > 0 && start > 0) {
        ssize_t written = write(output->frame, CN_END_FRAME, sizeof CN_END_FRAME - 1);
        if (written > 0) rest += written;
    }
    lseek(output->frame, 0, SEEK_SET);
    char bytes[16384];
    while (rest > 0) {
        size_t part = rest < (off_t)sizeof bytes ? (size_t)rest : sizeof bytes;
        ssize_t count = read(output->frame, bytes, part);
        if (count <= 0) break;
        cn_write_frame(bytes, (size_t)count);
        rest -= count;
    }
    lseek(output->frame, 0, SEEK_SET);
}

/// Makes the next `cn_show` redraw the whole terminal.
static inline void cn_distrust(void) { clearok(curscr, TRUE); }

/// Writes one character and its marks. In the bottom right corner ncurses returns ERR, because
/// there is no position left for the cursor, but has drawn the character.
static inline void cn_put(int row, int column, uint32_t character, const uint32_t *_Nonnull marks,
                          int count, unsigned attributes, int pair) {
    wchar_t text[CCHARW_MAX + 1] = {(wchar_t)character};
    for (int i = 0; i < count && i < CCHARW_MAX - 1; i++) text[i + 1] = (wchar_t)marks[i];
    attr_t bits = A_NORMAL;
    if (attributes & CN_BOLD) bits |= A_BOLD;
    if (attributes & CN_DIM) bits |= A_DIM;
    if (attributes & CN_REVERSED) bits |= A_REVERSE;
    if (attributes & CN_UNDERLINED) bits |= A_UNDERLINE;
    cchar_t cell;
    if (setcchar(&cell, text, bits, 0, &pair) != ERR) mvwadd_wch(stdscr, row, column, &cell);
}

/// Reads the size from the kernel; returns 0 if the kernel does not know it.
static inline int cn_kernel_size(int *_Nonnull width, int *_Nonnull height) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    *width = size.ws_col;
    *height = size.ws_row;
    return size.ws_col > 0 && size.ws_row > 0;
}

/// Returns 1 if input is available, 0 if not, or -1 if the terminal is gone.
static inline int cn_input_waits(void) {
    int bytes = 0;
    if (ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0) return -1;
    return bytes > 0;
}
