#if defined(__linux__)
#define _GNU_SOURCE
#include <malloc.h>
#elif defined(__APPLE__)
#include <mach/mach.h>
#include <malloc/malloc.h>
#endif

#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "CEndurance.h"

int64_t endurance_heap(void) {
#if defined(__linux__)
    // The sum over all arenas. Large blocks are mapped apart and counted apart.
    struct mallinfo2 info = mallinfo2();
    return (int64_t)(info.uordblks + info.hblkhd);
#elif defined(__APPLE__)
    return (int64_t)mstats().bytes_used;
#else
    return 0;
#endif
}

int64_t endurance_resident(void) {
#if defined(__linux__)
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &size, &resident) != 2) resident = 0;
    fclose(file);
    return (int64_t)resident * sysconf(_SC_PAGESIZE);
#elif defined(__APPLE__)
    struct mach_task_basic_info info;
    mach_msg_type_number_t count = MACH_TASK_BASIC_INFO_COUNT;
    if (task_info(mach_task_self(), MACH_TASK_BASIC_INFO, (task_info_t)&info, &count) != KERN_SUCCESS) return 0;
    return (int64_t)info.resident_size;
#else
    return 0;
#endif
}

double endurance_processor_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

void endurance_trim(void) {
#if defined(__linux__)
    malloc_trim(0);
#endif
}

void endurance_print_lines(void) {
    setvbuf(stdout, NULL, _IOLBF, 0);
}

struct call {
    void (*function)(void *);
    void *argument;
};

static void *run(void *pointer) {
    struct call *call = pointer;
    call->function(call->argument);
    return NULL;
}

int endurance_run_on_stack(uint64_t bytes, void (*function)(void *), void *argument) {
    struct call call = {function, argument};
    pthread_attr_t attributes;
    pthread_t thread;
    int error = pthread_attr_init(&attributes);
    if (error) return error;
    error = pthread_attr_setstacksize(&attributes, bytes);
    if (!error) error = pthread_create(&thread, &attributes, run, &call);
    pthread_attr_destroy(&attributes);
    return error ? error : pthread_join(thread, NULL);
}
