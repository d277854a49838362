// The search for the conformance of a type to a protocol, which Swift's runtime makes for each first cast
// and each first use of a generic type.
//
// The runtime compares every record of the program with what is sought: more than ten thousand for each
// search, and several hundred searches before the first frame. Here the records are put into a table by
// protocol and type once, and the answer is there. What the table cannot tell for certain is left to the
// runtime: conditional and isolated conformances, those of a superclass, and types that are no structure,
// enumeration or class of Swift.
//
// The linker puts these functions in front of the runtime's (`--wrap` in `Package.swift`), in the release
// alone; elsewhere nothing calls them. The layouts are those of Swift's ABI.
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/// A conformance as the compiler describes it.
typedef struct {
    int32_t protocol;
    int32_t type;
    int32_t witnesses;
    uint32_t flags;
} Conformance;

/// The records of the whole program.
extern const int32_t __start_swift5_protocol_conformances[] __attribute__((visibility("hidden")));
extern const int32_t __stop_swift5_protocol_conformances[] __attribute__((visibility("hidden")));

extern const void *swift_getWitnessTable(const Conformance *, const void *type, const void *const *arguments);

static const void *relative(const int32_t *field) { return (const char *)field + *field; }

/// A relative reference whose lowest bit says that the address stands where it leads to.
static const void *indirectable(const int32_t *field) {
    const char *target = (const char *)field + (*field & ~1);
    return *field & 1 ? *(const void *const *)target : target;
}

/// The descriptor of the conforming type, unless it is described in another way.
static const void *descriptorOfType(const Conformance *conformance) {
    switch (conformance->flags >> 3 & 7) {
    case 0: return relative(&conformance->type);
    case 1: return *(const void *const *)relative(&conformance->type);
    default: return NULL;
    }
}

static const Conformance *conformanceAt(size_t index) {
    return relative(&__start_swift5_protocol_conformances[index]);
}

/// The index of a record and one, in the first place that is free from the hash of protocol and type on.
typedef struct {
    size_t mask;
    uint16_t places[];
} Table;

static _Atomic(const Table *) table;

static size_t place(const void *protocol, const void *descriptor) {
    uint64_t hash = (uintptr_t)protocol * 0x9E3779B97F4A7C15u ^ (uintptr_t)descriptor * 0xC2B2AE3D27D4EB4Fu;
    return hash >> 32;
}

/// The table, made by the first thread that asks. NULL if there is no memory or too many records.
static const Table *tableOfRecords(void) {
    const Table *made = atomic_load_explicit(&table, memory_order_acquire);
    if (made) return made;
    size_t count = __stop_swift5_protocol_conformances - __start_swift5_protocol_conformances;
    if (count >= UINT16_MAX) return NULL;
    size_t size = 1024;
    while (size < count * 2) size *= 2;
    Table *new = calloc(1, sizeof(Table) + size * sizeof(uint16_t));
    if (!new) return NULL;
    new->mask = size - 1;
    for (size_t index = 0; index < count; index++) {
        const Conformance *conformance = conformanceAt(index);
        const void *descriptor = descriptorOfType(conformance);
        if (!descriptor) continue;
        size_t at = place(indirectable(&conformance->protocol), descriptor) & new->mask;
        while (new->places[at]) at = (at + 1) & new->mask;
        new->places[at] = index + 1;
    }
    if (!atomic_compare_exchange_strong(&table, &made, new)) {
        free(new);
        return made;
    }
    return new;
}

enum {
    kindClass = 0,
    kindStructure = 0x200,
    kindEnumeration = 0x201,
    kindOptional = 0x202,
    isUnique = 0x40,
    isConditional = 0xFF << 8,
    isIsolated = 1 << 19,
};

/// The metadata of a type; `superclass` is there for classes alone.
typedef struct {
    uintptr_t kind;
    const void *descriptor;
} ValueType;

typedef struct ClassType {
    uintptr_t kind;
    const struct ClassType *superclass;
    uint32_t sizes[6];
    const void *descriptor;
} ClassType;

/// Sets `conformance` to the one record for a type, or to NULL if there is none. Returns false if there
/// are several.
static bool find(const Table *table, const void *protocol, const void *descriptor, const Conformance **conformance) {
    *conformance = NULL;
    for (size_t at = place(protocol, descriptor) & table->mask; table->places[at]; at = (at + 1) & table->mask) {
        const Conformance *candidate = conformanceAt(table->places[at] - 1);
        if (descriptorOfType(candidate) != descriptor || indirectable(&candidate->protocol) != protocol) continue;
        if (*conformance) return false;
        *conformance = candidate;
    }
    return true;
}

/// Whether the descriptor is the only one of its type, so that its address tells the type.
static bool hasIdentity(const void *descriptor) {
    return descriptor && *(const uint32_t *)descriptor & isUnique;
}

/// Sets `witnesses` to the witness table, or to NULL if the type does not conform. Returns false if that is
/// left to the runtime.
static bool search(const void *type, const void *protocol, const void **witnesses) {
    const Table *table = tableOfRecords();
    if (!table) return false;
    const Conformance *conformance = NULL;
    switch (*(const uintptr_t *)type) {
    case kindStructure:
    case kindEnumeration:
    case kindOptional: {
        const void *descriptor = ((const ValueType *)type)->descriptor;
        if (!hasIdentity(descriptor) || !find(table, protocol, descriptor, &conformance)) return false;
        break;
    }
    case kindClass:
        for (const ClassType *class = type;; class = class->superclass) {
            if (class->kind != kindClass || !hasIdentity(class->descriptor)) return false;
            if (!find(table, protocol, class->descriptor, &conformance)) return false;
            if (conformance) {
                if (class != type) return false;
                break;
            }
            bool hasSuperclass = ((const int32_t *)class->descriptor)[5] != 0;
            if (!class->superclass) {
                if (hasSuperclass) return false;
                break;
            }
        }
        break;
    default:
        return false;
    }
    if (!conformance) {
        *witnesses = NULL;
        return true;
    }
    if (conformance->flags & (isConditional | isIsolated)) return false;
    *witnesses = swift_getWitnessTable(conformance, type, NULL);
    return true;
}

// The runtime's own, which are there where the linker wraps them.
#define RUNTIME __attribute__((weak))
RUNTIME const void *__real_swift_conformsToProtocol(const void *, const void *);
RUNTIME const void *__real_swift_conformsToProtocol2(const void *, const void *);
RUNTIME const void *__real_swift_conformsToProtocolCommon(const void *, const void *);
RUNTIME const void *__real_swift_conformsToProtocolWithExecutionContext(const void *, const void *, void *);

const void *__wrap_swift_conformsToProtocol(const void *type, const void *protocol) {
    const void *witnesses;
    return search(type, protocol, &witnesses) ? witnesses : __real_swift_conformsToProtocol(type, protocol);
}

const void *__wrap_swift_conformsToProtocol2(const void *type, const void *protocol) {
    const void *witnesses;
    return search(type, protocol, &witnesses) ? witnesses : __real_swift_conformsToProtocol2(type, protocol);
}

const void *__wrap_swift_conformsToProtocolCommon(const void *type, const void *protocol) {
    const void *witnesses;
    return search(type, protocol, &witnesses) ? witnesses : __real_swift_conformsToProtocolCommon(type, protocol);
}

const void *__wrap_swift_conformsToProtocolWithExecutionContext(
    const void *type, const void *protocol, void *context
) {
    const void *witnesses;
    return search(type, protocol, &witnesses)
               ? witnesses
               : __real_swift_conformsToProtocolWithExecutionContext(type, protocol, context);
}
