// zlib for Swift: its macros as plain functions, for raw streams without a header (RFC 1951).
#pragma once

#include <zlib.h>

static inline int cz_inflate_init(z_stream *_Nonnull stream) {
    return inflateInit2(stream, -MAX_WBITS);
}

static inline int cz_deflate_init(z_stream *_Nonnull stream, int level, int window_bits) {
    return deflateInit2(stream, level, Z_DEFLATED, -window_bits, MAX_MEM_LEVEL - 1,
                        Z_DEFAULT_STRATEGY);
}
