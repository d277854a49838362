// What Glibc's module leaves out for Swift, because it takes a varying number of arguments.
#pragma once

#include <sys/prctl.h>

/// Whether the kernel took it on.
static inline int cp_forbid_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0; }
