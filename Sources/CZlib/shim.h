// zlib for Swift: its macros as plain functions.
#pragma once

#include <zlib.h>

// A raw stream without a header (RFC 1951).
static inline int cz_inflate_init(z_stream *_Nonnull stream, int window_bits) {
    return inflateInit2(stream, -window_bits);
}

// A stream of gzip (RFC 1952) or zlib (RFC 1950), by its header.
static inline int cz_inflate_init_headed(z_stream *_Nonnull stream) {
    return inflateInit2(stream, MAX_WBITS + 32);
}

// A raw stream without a header.
static inline int cz_deflate_init(z_stream *_Nonnull stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, MAX_MEM_LEVEL - 1,
                        Z_DEFAULT_STRATEGY);
}
