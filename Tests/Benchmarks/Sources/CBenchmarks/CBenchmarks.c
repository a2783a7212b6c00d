#if defined(__linux__)
#define _GNU_SOURCE
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

#include <time.h>

#include "CBenchmarks.h"

void benchmarks_consume(uintptr_t value) {
    __asm__ volatile("" : : "r"(value) : "memory");
}

int64_t benchmarks_opaque(int64_t value) {
    __asm__ volatile("" : "+r"(value));
    return value;
}

static double nanoseconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

double benchmarks_thread_time(void) {
    return nanoseconds(CLOCK_THREAD_CPUTIME_ID);
}

double benchmarks_wall_time(void) {
    return nanoseconds(CLOCK_MONOTONIC);
}

int64_t benchmarks_heap(void) {
#if defined(__linux__)
    // Large blocks are mapped apart and counted apart.
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#elif defined(__APPLE__)
    return (int64_t)mstats().bytes_used;
#else
    return 0;
#endif
}
