#if defined(__linux__)
#define _GNU_SOURCE
#include <sys/syscall.h>
#endif

#include "CSafeKVO.h"

#if defined(_WIN32)
#include <windows.h>
#else
#include <pthread.h>
#include <unistd.h>
#endif

SAFEKVO_THREAD_LOCAL void *safekvo_recorder_slot = 0;

#if defined(__APPLE__)

bool safekvo_is_main_thread(void) {
    return pthread_main_np() != 0;
}

#elif defined(__linux__)

bool safekvo_is_main_thread(void) {
    // 0: not asked yet, 1: main, 2: another. A child made by fork keeps the answer of the thread that forked, which is its main thread.
    static _Thread_local signed char answer = 0;
    if (answer == 0) {
        answer = syscall(SYS_gettid) == getpid() ? 1 : 2;
    }
    return answer == 1;
}

#else

// Elsewhere the main thread is the one that loaded the program.
static uintptr_t main_thread = 0;

__attribute__((constructor)) static void safekvo_remember_main_thread(void) {
    main_thread = safekvo_thread();
}

bool safekvo_is_main_thread(void) {
    return safekvo_thread() == main_thread;
}

#endif

// An entry point of the Swift runtime; it reads the reference count and touches nothing.
extern bool swift_isDeallocating(const void *object);

bool safekvo_is_deallocating(const void *object) {
    return swift_isDeallocating(object);
}
