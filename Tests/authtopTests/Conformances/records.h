#include <stdint.h>

extern const int32_t __start_swift5_protocol_conformances[] __attribute__((visibility("hidden")));
extern const int32_t __stop_swift5_protocol_conformances[] __attribute__((visibility("hidden")));

/// The number of conformances in this program.
static inline intptr_t recordCount(void) {
    return __stop_swift5_protocol_conformances - __start_swift5_protocol_conformances;
}

/// A conformance, which begins with a relative reference to its protocol.
static inline const int32_t *record(intptr_t index) {
    const int32_t *reference = __start_swift5_protocol_conformances + index;
    return (const int32_t *)((const char *)reference + *reference);
}
