// The entry point of libFuzzer's runtime, which has no header of its own.
#ifndef AUTHTOP_LIBFUZZER_DRIVER_H
#define AUTHTOP_LIBFUZZER_DRIVER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*read)(const uint8_t *bytes, size_t count));

#endif
