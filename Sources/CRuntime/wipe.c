// The program's `free` and `realloc`: those of the C library, but what is given back is overwritten.
//
// Secrets pass through memory that nobody here can name: strings of Swift, buffers of NIO and TLS,
// JSON. What was freed would stay readable until it is used again, which may be never. With a sanitizer,
// which has an allocator of its own, and without the GNU C library, memory is freed as it is.
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define HAS_OTHER_ALLOCATOR 1
#endif
#endif

#if defined(__GLIBC__) && !defined(HAS_OTHER_ALLOCATOR)

extern void __libc_free(void *);
extern void *__libc_malloc(size_t);

static void wipe(void *memory) {
    memset(memory, 0, malloc_usable_size(memory));
    // The memory is not read again, for which the compiler could leave the call out.
    __asm__ volatile("" : : "r"(memory) : "memory");
}

void free(void *memory) {
    if (!memory) return;
    wipe(memory);
    __libc_free(memory);
}

/// Never grows in place: the C library would free what it copied from by its own `free`.
void *realloc(void *memory, size_t size) {
    if (!memory) return __libc_malloc(size);
    if (size == 0) {
        free(memory);
        return NULL;
    }
    size_t present = malloc_usable_size(memory);
    if (size <= present && size >= present / 2) return memory;
    void *copy = __libc_malloc(size);
    if (!copy) return NULL;
    memcpy(copy, memory, size < present ? size : present);
    free(memory);
    return copy;
}

#endif
