// Functions and structures that Swift's Glibc module does not import.
#pragma once

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/// Forbids core dumps and debuggers; returns 1 on success. A wrapper, as `prctl` is variadic.
static inline int cp_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }

/// Makes a file in memory that is closed on exec; returns -1 on failure. A system call, as
/// `memfd_create` is only declared for GNU sources; 1 is MFD_CLOEXEC.
static inline int cp_memory_file(void) { return (int)syscall(SYS_memfd_create, "input", 1U); }

/// Closes all descriptors from `first` on in the child, such as sockets that stay open on exec.
static inline void cp_close_from(posix_spawn_file_actions_t *actions, int first) {
    posix_spawn_file_actions_addclosefrom_np(actions, first);
}

/// Makes the child's process group the terminal's foreground group before it starts.
static inline void cp_take_foreground(posix_spawn_file_actions_t *actions, int terminal) {
    posix_spawn_file_actions_addtcsetpgrp_np(actions, terminal);
}

// Symbols of the linker: where the program begins, and the end of its code.
extern const char __executable_start[];
extern const char etext[];

/// Gives back the memory of code that only starting needed, where the kernel maps a page again once it is
/// used, for what is never written is in the file; and what the allocator keeps of what was freed.
static inline void cp_release_memory(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t end = (uintptr_t)etext & ~(page - 1);
    madvise((void *)__executable_start, end - (uintptr_t)__executable_start, MADV_DONTNEED);
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
