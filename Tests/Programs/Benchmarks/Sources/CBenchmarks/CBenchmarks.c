#if defined(__linux__)
#define _GNU_SOURCE
#include <malloc.h>
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#endif

#include <stdlib.h>
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

double benchmarks_load(void) {
    double load = 0;
    getloadavg(&load, 1);
    return load;
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

__attribute__((noinline)) void benchmarks_count_begin(void) {
    __asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) void benchmarks_count_end(void) {
    // Not the same code as above: a linker may fold functions that are alike.
    __asm__ volatile("nop" ::: "memory");
}
