// ncurses for Swift: its macros and globals as plain functions. What to do and when, Swift says.
#pragma once

#define NCURSES_WIDECHAR 1

#include <curses.h>
#include <langinfo.h>
#include <locale.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include <wchar.h>

enum { CN_BOLD = 1, CN_DIM = 2, CN_REVERSED = 4, CN_UNDERLINED = 8 };

static inline int cn_set_character_locale(const char *_Nonnull name) {
    return setlocale(LC_CTYPE, name) != NULL;
}

static inline int cn_locale_is_utf8(void) {
    const char *codeset = nl_langinfo(CODESET);
    return codeset != NULL && codeset[0] == 'U' && codeset[1] == 'T' && codeset[2] == 'F' &&
           codeset[3] == '-' && codeset[4] == '8' && codeset[5] == 0;
}

/// Columns of a character in the locale; negative for one that cannot be printed.
static inline int cn_width(uint32_t scalar) { return wcwidth((wchar_t)scalar); }

/// Looks a terminal up, writing nothing to it: 1 found, 0 no such terminal, -1 no database.
static inline int cn_find_description(const char *_Nonnull term) {
    int found = -1;
    setupterm(term, STDOUT_FILENO, &found);
    return found;
}

static inline void cn_forget_description(void) {
    if (cur_term != NULL) del_curterm(cur_term);
}

/// A string capability by its terminfo name; null when the terminal has none.
static inline const char *_Nullable cn_capability(const char *_Nonnull name) {
    const char *value = tigetstr(name);
    return value == (const char *)-1 ? NULL : value;
}

static inline SCREEN *_Nullable cn_open(const char *_Nonnull term) {
    return newterm(term, stdout, stdin);
}

/// Every key as it is pressed, none echoed, none a signal; no scrolling and no visible cursor.
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

/// A window only to read keys from: reading from `stdscr` would also paint it.
static inline WINDOW *_Nullable cn_open_keys(void) {
    WINDOW *keys = newpad(1, 1);
    if (keys != NULL) {
        keypad(keys, TRUE);
        nodelay(keys, TRUE);
    }
    return keys;
}

/// Colours the terminal has, 0 for none; negative defaults (-1) mean its own when `defaults` is 1.
static inline int cn_start_colours(int *_Nonnull defaults) {
    *defaults = 0;
    if (!has_colors() || start_color() == ERR) return 0;
    *defaults = use_default_colors() == OK;
    return COLORS;
}

static inline int cn_pair_limit(void) { return COLOR_PAIRS; }
static inline int cn_rows(void) { return getmaxy(stdscr); }
static inline int cn_columns(void) { return getmaxx(stdscr); }
static inline void cn_erase(void) { werase(stdscr); }
static inline void cn_show(void) { wrefresh(stdscr); }

/// The next `cn_show` trusts nothing that is on the terminal.
static inline void cn_distrust(void) { clearok(curscr, TRUE); }

/// Writes one character and its marks. In the bottom right corner ncurses answers ERR, for want of
/// a place for the cursor, and has painted it all the same.
static inline void cn_put(int row, int column, const uint32_t *_Nonnull scalars, int count,
                          unsigned attributes, int pair) {
    wchar_t text[CCHARW_MAX + 1] = {0};
    for (int i = 0; i < count && i < CCHARW_MAX; i++) text[i] = (wchar_t)scalars[i];
    attr_t bits = A_NORMAL;
    if (attributes & CN_BOLD) bits |= A_BOLD;
    if (attributes & CN_DIM) bits |= A_DIM;
    if (attributes & CN_REVERSED) bits |= A_REVERSE;
    if (attributes & CN_UNDERLINED) bits |= A_UNDERLINE;
    cchar_t cell;
    if (setcchar(&cell, text, bits, 0, &pair) != ERR) mvwadd_wch(stdscr, row, column, &cell);
}

/// The size the kernel knows; 0 when it knows none.
static inline int cn_kernel_size(int *_Nonnull width, int *_Nonnull height) {
    struct winsize size = {0};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0) return 0;
    *width = size.ws_col;
    *height = size.ws_row;
    return size.ws_col > 0 && size.ws_row > 0;
}

/// Whether input waits: 1 yes, 0 no, -1 it never will again.
static inline int cn_input_waits(void) {
    int bytes = 0;
    if (ioctl(STDIN_FILENO, FIONREAD, &bytes) != 0) return -1;
    return bytes > 0;
}
