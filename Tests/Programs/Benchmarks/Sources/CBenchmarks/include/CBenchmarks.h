// What Swift has no words for: a fence for the optimiser, a place to drop results, the clocks, how much memory is in
// use, and marks for those who count instructions.

#ifndef CBENCHMARKS_H
#define CBENCHMARKS_H

#include <stdint.h>

/// Costs nothing, but the optimiser must assume that it reads and writes all memory: what a loop does before it is really done each time.
static inline __attribute__((always_inline)) void benchmarks_fence(void) {
    __asm__ volatile("" ::: "memory");
}

/// Uses a value, as far as the optimiser can tell.
void benchmarks_consume(uintptr_t value);

/// Returns its argument, which the optimiser cannot know.
int64_t benchmarks_opaque(int64_t value);

/// Nanoseconds of processor time that this thread has used.
double benchmarks_thread_time(void);

/// Nanoseconds since some moment.
double benchmarks_wall_time(void);

/// How many programs wanted a processor, in the mean of the last minute.
double benchmarks_load(void);

/// Bytes of heap in use.
int64_t benchmarks_heap(void);

/// From here on instructions are counted, by whoever looks for calls of this function.
void benchmarks_count_begin(void);

/// To here.
void benchmarks_count_end(void);

#endif
