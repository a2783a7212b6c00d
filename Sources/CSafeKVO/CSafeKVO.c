#if defined(__linux__)
#define _GNU_SOURCE
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(__APPLE__) || defined(__ELF__)
#include <pthread.h>
#endif

#include "CSafeKVO.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(_WIN32)

static _Thread_local struct safekvo_thread_words words;

struct safekvo_thread_words *safekvo_words(void) {
    return &words;
}

#else

SAFEKVO_THREAD_LOCAL struct safekvo_thread_words safekvo_words_of_thread = {0};

#endif

uintptr_t safekvo_number_thread(void) {
    static _Atomic uintptr_t last = 0;
    return safekvo_words()->number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
}

// A serial executor in the form in which Swift's task runtime passes it.
struct executor {
    void *identity;
    uintptr_t implementation;
};

extern __attribute__((swiftcall)) bool swift_task_isCurrentExecutorWithFlags(struct executor executor, uint64_t flags);

bool safekvo_is_current_executor(uintptr_t identity, uintptr_t implementation) {
    struct executor executor = {.identity = (void *)identity, .implementation = implementation};
    return swift_task_isCurrentExecutorWithFlags(executor, 0);
}

#if defined(__APPLE__)

// On Apple's systems, the main thread always serves the main queue and the main actor.
bool safekvo_is_on_main_actor(void) {
    return pthread_main_np() != 0;
}

#else

#if defined(__linux__) && !defined(SAFEKVO_MAIN_THREAD_BY_CONSTRUCTOR)

static bool is_main_thread(void) {
    // The stored answer: 0 if unknown, 1 for the main thread, 2 for another thread. A forked process keeps the answer of the thread that
    // called fork.
    static _Thread_local signed char answer = 0;
    if (answer == 0) {
        answer = syscall(SYS_gettid) == getpid() ? 1 : 2;
    }
    return answer == 1;
}

#else

// The constructor `safekvo_remember_main_thread` runs on the main thread when the program is loaded. A program that loads the library later
// must do so on the main thread.
static uintptr_t main_thread = 0;

__attribute__((constructor)) static void safekvo_remember_main_thread(void) {
    main_thread = safekvo_thread();
}

static bool is_main_thread(void) {
    return safekvo_thread() == main_thread;
}

#endif

// The main thread may have ended, for example after `dispatchMain()`, and other threads then serve the main queue. So ask the task runtime
// whether a task of the main actor runs here. With flags of 0, its function never traps.

extern __attribute__((swiftcall)) struct executor swift_task_getMainExecutor(void);

// Code may run on the main queue outside any task. So the main queue gets a mark, and the current queue is asked for that mark. The symbols
// are weak, because a program without Dispatch lacks them.
#if defined(__ELF__) && !defined(SAFEKVO_WITHOUT_DISPATCH)

extern __attribute__((weak)) char _dispatch_main_q;
extern __attribute__((weak)) void dispatch_queue_set_specific(void *queue, const void *key, void *context, void (*destructor)(void *));
extern __attribute__((weak)) void *dispatch_get_specific(const void *key);

static char main_queue_mark;

static void mark_main_queue(void) {
    dispatch_queue_set_specific(&_dispatch_main_q, &main_queue_mark, &main_queue_mark, 0);
}

static bool is_on_main_queue(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    if (!&_dispatch_main_q || !dispatch_queue_set_specific || !dispatch_get_specific) {
        return false;
    }
    pthread_once(&once, mark_main_queue);
    return dispatch_get_specific(&main_queue_mark) != 0;
}

#else

static bool is_on_main_queue(void) {
    return false;
}

#endif

bool safekvo_is_on_main_actor(void) {
    return is_main_thread() || swift_task_isCurrentExecutorWithFlags(swift_task_getMainExecutor(), 0) || is_on_main_queue();
}

#endif

#if defined(__linux__)

// Numbers of Linux, from <linux/futex.h>, which a C library need not bring. Both stay inside the process.
enum { futex_wait_private = 128, futex_wake_private = 129 };

// The program may read `errno` after an assignment that waited here.
void safekvo_wait(const void *word, uint32_t value) {
    int error = errno;
    syscall(SYS_futex, word, futex_wait_private, value, 0, 0, 0);
    errno = error;
}

void safekvo_wake(const void *word) {
    syscall(SYS_futex, word, futex_wake_private, 1, 0, 0, 0);
}

#endif

#if defined(SAFEKVO_SCHEDULE_POINTS)

// Only tests that look for races are built with this flag. Nothing waits for another thread here: a thread lets others go first.

#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <time.h>

static _Atomic uint64_t schedule_seed = 0;
static _Thread_local uint64_t seed_of_thread = 0;
static _Thread_local uint64_t random_state = 0;

static uint64_t mixed(uint64_t value) {
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB;
    return value ^ (value >> 31);
}

__attribute__((constructor)) static void read_schedule_seed(void) {
    const char *text = getenv("SAFEKVO_SCHEDULE_SEED");
    if (text) {
        schedule_seed = strtoull(text, 0, 10);
    }
}

void safekvo_seed_schedule(uint64_t seed) {
    schedule_seed = seed;
}

void safekvo_seed_thread(uint64_t number) {
    seed_of_thread = schedule_seed;
    random_state = mixed(seed_of_thread + 0x9E3779B97F4A7C15 * (number + 1));
}

// A seed chooses a few places where a thread waits often and long. At the others it seldom does, so that many operations still end soon.
void safekvo_pass_schedule_point(uint32_t place) {
    uint64_t seed = schedule_seed;
    if (seed == 0) {
        return;
    }
    if (seed_of_thread != seed) {
        safekvo_seed_thread(safekvo_thread());
    }
    random_state += 0x9E3779B97F4A7C15;
    uint64_t chance = mixed(random_state);
    bool is_chosen = (mixed(seed ^ (place + 1) * 0xD1B54A32D192ED03) & 7) == 0;
    int error = errno;
    if ((chance & 255) < (is_chosen ? 64 : 2)) {
        // The system adds some 50 microseconds.
        struct timespec time = {.tv_nsec = (long)(chance >> 8) & (is_chosen ? 0x3FFFF : 0x3FFF)};
        nanosleep(&time, 0);
    } else if ((chance & 255) < 96) {
        sched_yield();
    }
    errno = error;
}

#endif

void safekvo_print_error(const char *line) {
    fprintf(stderr, "SafeKVO: %s\n", line);
}

extern bool swift_isDeallocating(const void *object);

#if defined(__APPLE__)

#include <objc/message.h>
#include <objc/runtime.h>
#include <stdlib.h>

size_t safekvo_instance_size(const void *type) {
    return class_getInstanceSize((Class)type);
}

// The root of such a class is `_TtCs12_SwiftObject`.
bool safekvo_is_counted_by_swift(const void *type) {
    static _Atomic(Class) known = 0;
    Class class = (Class)type;
    Class root = known;
    if (!root) {
        known = root = objc_lookUpClass("_TtCs12_SwiftObject");
    }
    while (class && class != root) {
        class = class_getSuperclass(class);
    }
    return class != 0;
}

bool safekvo_is_deallocating(const void *object) {
    Class class = object_getClass((id)object);
    if (safekvo_is_counted_by_swift(class)) {
        return swift_isDeallocating(object);
    }
    // The Objective-C runtime sends this message before it forms a weak reference. An object that is being deallocated answers no.
    SEL question = sel_registerName("allowsWeakReference");
    return class_respondsToSelector(class, question) && !((BOOL(*)(id, SEL))objc_msgSend)((id)object, question);
}

#else

bool safekvo_is_counted_by_swift(const void *type) {
#if defined(SAFEKVO_FOREIGN_COUNTS)
    return false;
#else
    return true;
#endif
}

bool safekvo_is_deallocating(const void *object) {
    return swift_isDeallocating(object);
}

#endif

// The names of properties are for messages only. With this flag, properties have no names, as where the system knows none.
#if !defined(SAFEKVO_WITHOUT_REFLECTION) && defined(__ELF__) && defined(__clang__)

// These functions of the Swift runtime describe the stored properties of a class. The symbols are weak, because a runtime may lack them.
struct field {
    const char *name;
    void (*release)(const char *);
    bool is_strong;
    bool is_variable;
};

#define RUNTIME __attribute__((swiftcall, weak))
extern RUNTIME intptr_t swift_reflectionMirror_recursiveCount(const void *type);
extern RUNTIME intptr_t swift_reflectionMirror_recursiveChildOffset(const void *type, intptr_t index);
extern RUNTIME const void *swift_reflectionMirror_recursiveChildMetadata(const void *type, intptr_t index, struct field *field);

bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity) {
    if (!swift_reflectionMirror_recursiveCount || !swift_reflectionMirror_recursiveChildOffset
        || !swift_reflectionMirror_recursiveChildMetadata) {
        return false;
    }
    // A property of size zero may have the same offset as the next one. The backward search finds the next one first.
    for (intptr_t index = swift_reflectionMirror_recursiveCount(type) - 1; index >= 0; index--) {
        if ((uintptr_t)swift_reflectionMirror_recursiveChildOffset(type, index) == offset) {
            struct field field = {0};
            swift_reflectionMirror_recursiveChildMetadata(type, index, &field);
            bool found = field.name && (size_t)snprintf(name, capacity, "%s", field.name) < capacity;
            if (field.release) {
                field.release(field.name);
            }
            return found;
        }
    }
    return false;
}

#elif !defined(SAFEKVO_WITHOUT_REFLECTION) && defined(__APPLE__)

bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity) {
    for (Class class = (Class)type; class; class = class_getSuperclass(class)) {
        unsigned int count = 0;
        Ivar *variables = class_copyIvarList(class, &count);
        bool found = false;
        for (unsigned int index = count; index-- > 0 && !found;) {
            const char *candidate = ivar_getName(variables[index]);
            if ((uintptr_t)ivar_getOffset(variables[index]) == offset && candidate && strlen(candidate) < capacity) {
                strcpy(name, candidate);
                found = true;
            }
        }
        free(variables);
        if (found) {
            return true;
        }
    }
    return false;
}

#else

bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity) {
    return false;
}

#endif
