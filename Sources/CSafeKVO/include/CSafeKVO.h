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

#if defined(__ELF__)
#define SAFEKVO_THREAD_LOCAL _Thread_local __attribute__((tls_model("initial-exec")))
#else
#define SAFEKVO_THREAD_LOCAL _Thread_local
#endif

#if defined(__clang__)
#pragma clang assume_nonnull begin
#endif

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_recorder_slot;

/// Returns the access recorder of this thread, which records the properties that a getter reads, or null. Nearly always it is null.
static inline void *_Nullable safekvo_recorder(void) {
    return safekvo_recorder_slot;
}

/// Returns true if this thread has an access recorder.
static inline bool safekvo_is_recording(void) {
    return safekvo_recorder_slot != 0;
}

/// Sets the access recorder of this thread.
static inline void safekvo_set_recorder(void *_Nullable recorder) {
    safekvo_recorder_slot = recorder;
}

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_batch_slot;

/// Returns the batch of changes that is open on this thread, or null.
static inline void *_Nullable safekvo_batch(void) {
    return safekvo_batch_slot;
}

/// Returns true if a batch of changes is open on this thread.
static inline bool safekvo_has_batch(void) {
    return safekvo_batch_slot != 0;
}

/// Sets the batch of changes that is open on this thread.
static inline void safekvo_set_batch(void *_Nullable batch) {
    safekvo_batch_slot = batch;
}

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_delivery_slot;

/// Returns the innermost delivery that is in progress on this thread, or null.
static inline void *_Nullable safekvo_delivery(void) {
    return safekvo_delivery_slot;
}

/// Sets the innermost delivery of this thread.
static inline void safekvo_set_delivery(void *_Nullable delivery) {
    safekvo_delivery_slot = delivery;
}

extern SAFEKVO_THREAD_LOCAL void *_Nullable safekvo_end_queue_slot;

/// Returns the queue of ended observations whose references this thread is releasing, or null.
static inline void *_Nullable safekvo_end_queue(void) {
    return safekvo_end_queue_slot;
}

/// Sets the queue of ended observations whose references this thread is releasing.
static inline void safekvo_set_end_queue(void *_Nullable queue) {
    safekvo_end_queue_slot = queue;
}

/// Retains an object and returns it, or returns null if the object is in its deinit or deallocated. The memory of the object must be valid.
/// The function belongs to the Swift runtime.
void *_Nullable swift_tryRetain(void *object);

extern SAFEKVO_THREAD_LOCAL uintptr_t safekvo_thread_number;

/// Gives this thread a number and returns it.
uintptr_t safekvo_number_thread(void);

/// Returns the number of this thread. No other thread of the process has or had that number.
static inline uintptr_t safekvo_thread(void) {
    return safekvo_thread_number != 0 ? safekvo_thread_number : safekvo_number_thread();
}

/// Returns the mark of this thread, which says whether the thread has ended. The caller must release the mark. Returns null if the system
/// does not report the end of a thread.
void *_Nullable safekvo_retain_thread_mark(void);

/// Returns true if the thread to which a mark belongs has ended.
bool safekvo_thread_has_ended(const void *mark);

/// Releases a reference to a mark, and frees the mark with its last reference.
void safekvo_release_thread_mark(void *mark);

extern SAFEKVO_THREAD_LOCAL uintptr_t safekvo_registering_controller;

/// Returns the address of the last controller that has added an observation on this thread. The address is never dereferenced.
static inline uintptr_t safekvo_last_controller(void) {
    return safekvo_registering_controller;
}

/// Stores the address of a controller that has added an observation on this thread.
static inline void safekvo_set_last_controller(uintptr_t controller) {
    safekvo_registering_controller = controller;
}

extern SAFEKVO_THREAD_LOCAL bool safekvo_logging;

/// Returns true while this thread runs the program's handler for entries of the library's log.
static inline bool safekvo_is_logging(void) {
    return safekvo_logging;
}

/// Stores whether this thread runs the program's handler for entries of the library's log.
static inline void safekvo_set_logging(bool is_logging) {
    safekvo_logging = is_logging;
}

/// Returns true if code of the main actor may run on this thread now: on the main thread, and wherever the main actor or the main queue is
/// running. The function never traps, and is fast on the main thread.
bool safekvo_is_on_main_actor(void);

/// Returns true if the given serial executor runs the current task, or other code that the task runtime knows. The function never traps.
bool safekvo_is_current_executor(uintptr_t identity, uintptr_t implementation);

/// Writes a line to the standard error stream.
void safekvo_print_error(const char *line);

/// Returns true if an object has begun its deinit or dealloc, so that no weak reference to it may be formed. The function neither retains
/// the object nor makes a side table for it.
bool safekvo_is_deallocating(const void *object);

/// Copies the name of a stored property, given by its class and offset, into `name`, with a final zero byte. Returns false if the runtime
/// does not know the name, or the name does not fit. The function reads only the runtime's description of the class.
bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity);

/// A stored property of a class.
struct safekvo_field {
    uintptr_t offset;
    const void *_Nullable type;
    bool is_constant;
    bool is_strong;
};

/// Returns the number of stored properties of a class, including the inherited ones.
intptr_t safekvo_field_count(const void *type);

/// Describes the stored property at an index, and copies its name into `name`, with a final zero byte. Returns false if the runtime cannot
/// describe the property, or the name does not fit.
bool safekvo_read_field(const void *type, intptr_t index, struct safekvo_field *field, char *name, size_t capacity);

/// A function of the Swift runtime: makes an object of a class in the given memory, but only its header. The object's reference count never
/// frees the memory.
void *swift_initStackObject(const void *type, void *memory);

/// Memory that the Swift runtime needs to check an access.
struct safekvo_access {
    void *_Nullable words[3];
};

/// A function of the Swift runtime: ends the program if an access conflicts with another access of this thread.
///
/// The flags are 1 for an access that may change the value, and 0 for one that only reads it. The runtime does not record such an access.
void swift_beginAccess(void *address, struct safekvo_access *access, uintptr_t flags, void *_Nullable caller);

#if defined(__APPLE__)

/// Returns the size of the objects of a class.
size_t safekvo_instance_size(const void *type);

#else

struct safekvo_extents {
    size_t negative;
    size_t positive;
};

__attribute__((swiftcall)) struct safekvo_extents _swift_getSwiftClassInstanceExtents(const void *type);

/// Returns the size of the objects of a class.
static inline size_t safekvo_instance_size(const void *type) {
    return _swift_getSwiftClassInstanceExtents(type).positive;
}

#endif

#if defined(__clang__)
#pragma clang assume_nonnull end
#endif

#endif
