// What Glibc's module leaves out for Swift.
#pragma once

#include <spawn.h>
#include <sys/prctl.h>

/// Whether the kernel took it on. `prctl` takes a varying number of arguments.
static inline int cp_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

/// What a program starts with is what it is given, and no socket of ours that stays open on exec.
static inline void cp_close_from(posix_spawn_file_actions_t *actions, int first) {
    posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// The terminal's keys go to the program and what it starts, from its first instruction on.
static inline void cp_take_foreground(posix_spawn_file_actions_t *actions, int terminal) {
    posix_spawn_file_actions_addtcsetpgrp_np(actions, terminal);
}
