// The few things that Swift can say only at a price: one thread-local pointer that every observed getter looks at, the
// question whether this is the main thread, and the question whether an object is being destroyed.

#ifndef CSAFEKVO_H
#define CSAFEKVO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__APPLE__)
#include <objc/runtime.h>
#endif

#if defined(__ELF__)
#define SAFEKVO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define SAFEKVO_THREAD_LOCAL _Thread_local
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_recorder_slot;

/// The access recorder of this thread, or null: almost always null.
static inline void *_Nullable safekvo_recorder(void) {
    return safekvo_recorder_slot;
}

/// Whether this thread has an access recorder.
static inline bool safekvo_is_recording(void) {
    return safekvo_recorder_slot != 0;
}

/// Makes `recorder` the access recorder of this thread.
static inline void safekvo_set_recorder(void *_Nullable recorder) {
    safekvo_recorder_slot = recorder;
}

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_batch_slot;

/// The batch of changes that is open on this thread, or null.
static inline void *_Nullable safekvo_batch(void) {
    return safekvo_batch_slot;
}

/// Whether a batch of changes is open on this thread.
static inline bool safekvo_has_batch(void) {
    return safekvo_batch_slot != 0;
}

/// Makes `batch` the open batch of this thread.
static inline void safekvo_set_batch(void *_Nullable batch) {
    safekvo_batch_slot = batch;
}

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_delivery_slot;

/// The innermost delivery that is under way on this thread, or null.
static inline void *_Nullable safekvo_delivery(void) {
    return safekvo_delivery_slot;
}

/// Makes `delivery` the innermost one of this thread.
static inline void safekvo_set_delivery(void *_Nullable delivery) {
    safekvo_delivery_slot = delivery;
}

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_end_queue_slot;

/// The queue of observations whose references this thread is releasing, or null.
static inline void *_Nullable safekvo_end_queue(void) {
    return safekvo_end_queue_slot;
}

/// Makes `queue` that queue of this thread.
static inline void safekvo_set_end_queue(void *_Nullable queue) {
    safekvo_end_queue_slot = queue;
}

/// The Swift runtime's: takes a reference to an object that may have been destroyed, if its memory is kept; null if it was, or is being so.
void *_Nullable swift_tryRetain(void *object);

extern SAFEKVO_THREAD_LOCAL uintptr_t safekvo_thread_number;

/// Gives this thread a number.
uintptr_t safekvo_number_thread(void);

/// A number that no other thread has or had: what one leaves behind does not become another's.
static inline uintptr_t safekvo_thread(void) {
    return safekvo_thread_number != 0 ? safekvo_thread_number : safekvo_number_thread();
}

/// The mark that this thread leaves when it ends, with a reference for the caller. Null where the system does not report a thread's end.
void *_Nullable safekvo_retain_thread_mark(void);

/// Whether the thread that left a mark has ended.
bool safekvo_thread_has_ended(const void *mark);

/// Releases a reference to a mark.
void safekvo_release_thread_mark(void *mark);

extern SAFEKVO_THREAD_LOCAL uintptr_t safekvo_registering_controller;

/// What identifies the controller that was the last one to add an observation on this thread. Never dereferenced.
static inline uintptr_t safekvo_last_controller(void) {
    return safekvo_registering_controller;
}

/// Notes that a controller has added an observation on this thread.
static inline void safekvo_set_last_controller(uintptr_t controller) {
    safekvo_registering_controller = controller;
}

extern SAFEKVO_THREAD_LOCAL bool safekvo_logging;

/// Whether this thread is in a handler that hears what the library logs.
static inline bool safekvo_is_logging(void) {
    return safekvo_logging;
}

/// Says whether it is.
static inline void safekvo_set_logging(bool is_logging) {
    safekvo_logging = is_logging;
}

/// Whether the main actor's code may run here and now: on the main thread, or wherever else the main actor or the main queue is running.
///
/// Never traps. A quick yes on the main thread.
bool safekvo_is_on_main_actor(void);

/// Whether the running task, or whatever else the task runtime knows to run here, runs on a serial executor. Never traps.
bool safekvo_is_current_executor(uintptr_t identity, uintptr_t implementation);

/// Writes a line to the standard error stream.
void safekvo_print_error(const char *line);

/// Whether `object` has begun its deinit or dealloc, so that no weak reference to it may be formed. Neither retains it nor gives it a side
/// table.
bool safekvo_is_deallocating(const void *object);

/// The name of the stored property at an offset in the objects of a class, copied into `name` with its ending zero; false if the runtime does
/// not say. Reads what the runtime knows of the class, and no object.
bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity);

/// A stored property of a class.
struct safekvo_field {
    uintptr_t offset;
    const void *_Nullable type;
    bool is_constant;
    bool is_strong;
};

/// How many stored properties the objects of a class have, with those that they inherit.
intptr_t safekvo_field_count(const void *type);

/// Describes one of them; false if the runtime cannot.
bool safekvo_read_field(const void *type, intptr_t index, struct safekvo_field *field, char *name, size_t capacity);

/// The Swift runtime's: makes memory an object of a class, as far as its header goes. It is never freed by its reference count.
void *swift_initStackObject(const void *type, void *memory);

/// What the Swift runtime notes of an access that is under way.
struct safekvo_access {
    void *_Nullable words[3];
};

/// The Swift runtime's: notes that an access begins, and ends the program if it conflicts with another one of this thread.
///
/// The flags are 1 for an access that may change the value, and 0x20 for one that is noted until it ends.
void swift_beginAccess(void *address, struct safekvo_access *access, uintptr_t flags, void *_Nullable caller);

/// The Swift runtime's: notes that an access has ended.
void swift_endAccess(struct safekvo_access *access);

#if defined(__APPLE__)

/// The size of the objects of a class.
size_t safekvo_instance_size(const void *type);

#else

struct safekvo_extents {
    size_t negative;
    size_t positive;
};

__attribute__((swiftcall)) struct safekvo_extents _swift_getSwiftClassInstanceExtents(const void *type);

/// The size of the objects of a class.
static inline size_t safekvo_instance_size(const void *type) {
    return _swift_getSwiftClassInstanceExtents(type).positive;
}

#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
