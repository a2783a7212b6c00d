// Functions that Swift cannot express at all or only at a cost. They access thread-local variables, and ask the system and the Swift
// runtime about threads, executors, objects and classes.

#ifndef CSAFEKVO_H
#define CSAFEKVO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__APPLE__)
#include <objc/runtime.h>
#endif

// Defines `__GLIBC__`, where the C library is glibc.
#if __has_include(<features.h>)
#include <features.h>
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

/// What a thread remembers. Every word is zero when the thread begins, and nothing has to be done when the thread ends.
struct safekvo_thread_words {
    uintptr_t recorder;
    uintptr_t batch;
    uintptr_t delivery;
    uintptr_t end_queue;
    uintptr_t number;
    uintptr_t last_controller;
    bool is_logging;
};

#if defined(_WIN32)

// A DLL cannot export a thread-local variable.
struct safekvo_thread_words *safekvo_words(void);

#else

// The model "initial-exec" saves a call at each access. glibc keeps room for it in every thread. Other systems refuse to load a shared library
// with it while the program runs, and Android loads every library in this way.
#if defined(__GLIBC__)
#define SAFEKVO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define SAFEKVO_THREAD_LOCAL _Thread_local
#endif

extern SAFEKVO_THREAD_LOCAL struct safekvo_thread_words safekvo_words_of_thread;

static inline struct safekvo_thread_words *safekvo_words(void) {
    return &safekvo_words_of_thread;
}

#endif

/// Returns the address of the access recorder of this thread, which records the properties that a getter reads, or zero if nothing is recorded.
static inline uintptr_t safekvo_recorder(void) {
    return safekvo_words()->recorder;
}

static inline bool safekvo_is_recording(void) {
    return safekvo_words()->recorder != 0;
}

static inline void safekvo_set_recorder(uintptr_t recorder) {
    safekvo_words()->recorder = recorder;
}

/// Returns the address of the batch of changes that is open on this thread, or zero.
static inline uintptr_t safekvo_batch(void) {
    return safekvo_words()->batch;
}

static inline bool safekvo_has_batch(void) {
    return safekvo_words()->batch != 0;
}

static inline void safekvo_set_batch(uintptr_t batch) {
    safekvo_words()->batch = batch;
}

/// Returns the address of the innermost delivery that is in progress on this thread, or zero.
static inline uintptr_t safekvo_delivery(void) {
    return safekvo_words()->delivery;
}

static inline void safekvo_set_delivery(uintptr_t delivery) {
    safekvo_words()->delivery = delivery;
}

/// Returns the address of the queue of ended observations whose references this thread is releasing, or zero.
static inline uintptr_t safekvo_end_queue(void) {
    return safekvo_words()->end_queue;
}

static inline void safekvo_set_end_queue(uintptr_t queue) {
    safekvo_words()->end_queue = queue;
}

/// A function of the Swift runtime: retains and returns an object, or returns null if the object is being deallocated. The memory of the
/// object must be valid.
void *_Nullable swift_tryRetain(void *object);

/// Functions of the Swift runtime: they count who needs the memory of an object, which may be deallocated meanwhile.
void *swift_unownedRetain(void *object);
void swift_unownedRelease(void *object);

uintptr_t safekvo_number_thread(void);

/// Returns the number of this thread, which no other thread of the process has or had.
static inline uintptr_t safekvo_thread(void) {
    uintptr_t number = safekvo_words()->number;
    return number != 0 ? number : safekvo_number_thread();
}

/// Returns the address of the last controller that has added an observation on this thread. The address is never dereferenced.
static inline uintptr_t safekvo_last_controller(void) {
    return safekvo_words()->last_controller;
}

static inline void safekvo_set_last_controller(uintptr_t controller) {
    safekvo_words()->last_controller = controller;
}

/// Returns true while this thread runs the program's log handler.
static inline bool safekvo_is_logging(void) {
    return safekvo_words()->is_logging;
}

static inline void safekvo_set_logging(bool is_logging) {
    safekvo_words()->is_logging = is_logging;
}

/// Returns true if code of the main actor may run on this thread now: on the main thread, and wherever the main actor or the main queue is
/// running. The function never traps, and is fast on the main thread.
bool safekvo_is_on_main_actor(void);

/// Returns true if this thread runs code on the given serial executor, as far as Swift's task runtime knows. The function never traps.
bool safekvo_is_current_executor(uintptr_t identity, uintptr_t implementation);

#if defined(__linux__)

/// Waits until another thread calls `safekvo_wake` with the address. Returns at once if the word there has another value, and may return for no
/// reason.
void safekvo_wait(const void *word, uint32_t value);

/// Wakes one thread that waits at the address, if there is one. The memory there may have been freed.
void safekvo_wake(const void *word);

#endif

// The next three exist only if the library is built with `SAFEKVO_SCHEDULE_POINTS`.

/// Lets a seed decide where threads wait. Until then, nobody waits; the environment variable SAFEKVO_SCHEDULE_SEED may give the first seed.
void safekvo_seed_schedule(uint64_t seed);

/// Makes the decisions of this thread follow from the seed and a number.
void safekvo_seed_thread(uint64_t number);

/// Gives the processor away, if the seed says so.
void safekvo_pass_schedule_point(uint32_t place);

void safekvo_print_error(const char *line);

/// Returns true if an object has begun its deinit or dealloc, so that no weak reference to the object may be formed. The object is neither
/// retained nor changed.
bool safekvo_is_deallocating(const void *object);

/// Copies the name of the stored property at an offset into `name`, with a final zero byte. Returns false if the runtime does not know the
/// name, or if the name does not fit.
bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity);

/// A function of the Swift runtime: makes the header of an object in the given memory. Reference counting never frees that memory.
void *swift_initStackObject(const void *type, void *memory);

struct safekvo_access {
    void *_Nullable space[3];
};

/// A function of the Swift runtime: ends the program if an access conflicts with another access of this thread.
///
/// The flags are 1 for an access that may change the value, and 0 for a read. The runtime does not record this access.
void swift_beginAccess(void *address, struct safekvo_access *access, uintptr_t flags, void *_Nullable caller);

#if defined(__ELF__)
// Functions of the thread sanitizer, which exist only in programs that use it.
extern void AnnotateIgnoreWritesBegin(const char *file, int line) __attribute__((weak));
extern void AnnotateIgnoreWritesEnd(const char *file, int line) __attribute__((weak));
#endif

/// Makes the thread sanitizer ignore what this thread accesses until `safekvo_end_addressing()`.
///
/// Swift has no way to take the address of a property of an object but an access that may write the property. Several threads may take the
/// address at once, because none of them writes there.
static inline void safekvo_begin_addressing(void) {
#if defined(__ELF__)
    if (AnnotateIgnoreWritesBegin) {
        AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    }
#endif
}

static inline void safekvo_end_addressing(void) {
#if defined(__ELF__)
    if (AnnotateIgnoreWritesEnd) {
        AnnotateIgnoreWritesEnd(__FILE__, __LINE__);
    }
#endif
}

/// Returns true if the Swift runtime counts the references to the objects of a class. Objective-C, which Apple's platforms have, counts those
/// to other objects.
bool safekvo_is_counted_by_swift(const void *type);

#if defined(__APPLE__)

size_t safekvo_instance_size(const void *type);

#else

struct safekvo_extents {
    size_t negative;
    size_t positive;
};

__attribute__((swiftcall)) struct safekvo_extents _swift_getSwiftClassInstanceExtents(const void *type);

static inline size_t safekvo_instance_size(const void *type) {
    return _swift_getSwiftClassInstanceExtents(type).positive;
}

#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
