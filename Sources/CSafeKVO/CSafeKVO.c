#if defined(__linux__)
#define _GNU_SOURCE
#include <sys/syscall.h>
#endif

#include "CSafeKVO.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#if defined(_WIN32)
#include <windows.h>
#else
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
#endif

SAFEKVO_THREAD_LOCAL uintptr_t safekvo_recorder_slot = 0;
SAFEKVO_THREAD_LOCAL uintptr_t safekvo_batch_slot = 0;
SAFEKVO_THREAD_LOCAL uintptr_t safekvo_delivery_slot = 0;
SAFEKVO_THREAD_LOCAL uintptr_t safekvo_end_queue_slot = 0;
SAFEKVO_THREAD_LOCAL uintptr_t safekvo_thread_number = 0;
SAFEKVO_THREAD_LOCAL uintptr_t safekvo_registering_controller = 0;
SAFEKVO_THREAD_LOCAL bool safekvo_logging = false;

uintptr_t safekvo_number_thread(void) {
    static _Atomic uintptr_t last = 0;
    safekvo_thread_number = atomic_fetch_add_explicit(&last, 1, memory_order_relaxed) + 1;
    return safekvo_thread_number;
}

#if defined(_WIN32)

void *safekvo_retain_thread_mark(void) {
    return 0;
}

bool safekvo_thread_has_ended(const void *mark) {
    return false;
}

void safekvo_release_thread_mark(void *mark) {}

#else

struct thread_mark {
    _Atomic uintptr_t references;
    _Atomic bool has_ended;
};

static SAFEKVO_THREAD_LOCAL struct thread_mark *own_mark = 0;
static pthread_key_t mark_key;
static bool has_mark_key = false;

static void end_thread(void *mark) {
    own_mark = 0;
    atomic_store_explicit(&((struct thread_mark *)mark)->has_ended, true, memory_order_release);
    safekvo_release_thread_mark(mark);
}

static void make_mark_key(void) {
    has_mark_key = pthread_key_create(&mark_key, end_thread) == 0;
}

void *safekvo_retain_thread_mark(void) {
    if (!own_mark) {
        static pthread_once_t once = PTHREAD_ONCE_INIT;
        pthread_once(&once, make_mark_key);
        struct thread_mark *mark = has_mark_key ? calloc(1, sizeof(struct thread_mark)) : 0;
        if (!mark) {
            return 0;
        }
        if (pthread_setspecific(mark_key, mark) != 0) {
            free(mark);
            return 0;
        }
        atomic_init(&mark->references, 1);
        own_mark = mark;
    }
    atomic_fetch_add_explicit(&own_mark->references, 1, memory_order_relaxed);
    return own_mark;
}

bool safekvo_thread_has_ended(const void *mark) {
    return mark && atomic_load_explicit(&((struct thread_mark *)mark)->has_ended, memory_order_acquire);
}

void safekvo_release_thread_mark(void *mark) {
    if (mark && atomic_fetch_sub_explicit(&((struct thread_mark *)mark)->references, 1, memory_order_acq_rel) == 1) {
        free(mark);
    }
}

#endif

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

#if defined(__linux__)

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

// The constructor `safekvo_remember_main_thread` runs on the main thread when the program is loaded.
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
#if defined(__ELF__)

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

void safekvo_print_error(const char *line) {
    fprintf(stderr, "SafeKVO: %s\n", line);
}

extern bool swift_isDeallocating(const void *object);

#if defined(__APPLE__)

#include <objc/message.h>
#include <objc/runtime.h>

size_t safekvo_instance_size(const void *type) {
    return class_getInstanceSize((Class)type);
}

// Returns true if the root of a class is `_TtCs12_SwiftObject`. The Swift runtime counts the references to objects of such a class.
// Objective-C counts the references to all other objects.
static bool is_native(Class class) {
    static _Atomic(Class) known = 0;
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
    if (is_native(class)) {
        return swift_isDeallocating(object);
    }
    // The Objective-C runtime sends this message before it forms a weak reference. An object that is being deallocated answers no.
    SEL question = sel_registerName("allowsWeakReference");
    return class_respondsToSelector(class, question) && !((BOOL(*)(id, SEL))objc_msgSend)((id)object, question);
}

#else

bool safekvo_is_deallocating(const void *object) {
    return swift_isDeallocating(object);
}

#endif

// These functions of the Swift runtime describe the stored properties of a class. The symbols are weak. If a runtime lacks them, properties
// have no names, and constant properties of a key path are not followed.
#if defined(__clang__) && (defined(__ELF__) || defined(__APPLE__))

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

static bool has_reflection(void) {
    return swift_reflectionMirror_recursiveCount && swift_reflectionMirror_recursiveChildOffset
        && swift_reflectionMirror_recursiveChildMetadata;
}

intptr_t safekvo_field_count(const void *type) {
    return has_reflection() ? swift_reflectionMirror_recursiveCount(type) : 0;
}

bool safekvo_read_field(const void *type, intptr_t index, struct safekvo_field *result, char *name, size_t capacity) {
    struct field field = {0};
    result->type = (uintptr_t)swift_reflectionMirror_recursiveChildMetadata(type, index, &field);
    result->offset = (uintptr_t)swift_reflectionMirror_recursiveChildOffset(type, index);
    result->is_constant = !field.is_variable;
    result->is_strong = field.is_strong;
    bool found = field.name && strlen(field.name) < capacity;
    if (found) {
        strcpy(name, field.name);
    }
    if (field.release) {
        field.release(field.name);
    }
    return found;
}

#else

intptr_t safekvo_field_count(const void *type) {
    return 0;
}

bool safekvo_read_field(const void *type, intptr_t index, struct safekvo_field *field, char *name, size_t capacity) {
    return false;
}

#endif

#if defined(__ELF__) && defined(__clang__)

bool safekvo_property_name(const void *type, uintptr_t offset, char *name, size_t capacity) {
    // A property of size zero may have the same offset as the next one. The backward search finds the next one first.
    for (intptr_t index = safekvo_field_count(type) - 1; index >= 0; index--) {
        if ((uintptr_t)swift_reflectionMirror_recursiveChildOffset(type, index) == offset) {
            struct safekvo_field field;
            return safekvo_read_field(type, index, &field, name, capacity);
        }
    }
    return false;
}

#elif defined(__APPLE__)

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

// MARK: Overridden properties

// The description of a class by the compiler, as far as it is needed here: the ABI of Swift's class metadata and class descriptors. The
// table of methods contains those which the class itself declares. Each has a fixed place in the metadata of the class and its subclasses.

#if defined(__has_include)
#if __has_include(<ptrauth.h>)
#include <ptrauth.h>
#endif
#endif

// With pointer authentication, equal addresses that are stored at two places have different signatures.
#if defined(ptrauth_strip)
#define UNSIGNED_DATA(pointer) ptrauth_strip(pointer, ptrauth_key_process_independent_data)
#define UNSIGNED_CODE(pointer) ptrauth_strip(pointer, ptrauth_key_process_independent_code)
#else
#define UNSIGNED_DATA(pointer) (pointer)
#define UNSIGNED_CODE(pointer) (pointer)
#endif

struct class_descriptor {
    uint32_t flags;
    int32_t parent, name, access, fields, superclass;
    uint32_t negative_words, positive_words, own_words, field_count, field_offsets;
};

struct class_metadata {
    uintptr_t kind;
    const void *superclass;
#if defined(__APPLE__)
    uintptr_t objective_c[3];
#endif
    uint32_t flags, address_point, instance_size;
    uint16_t instance_alignment, reserved;
    uint32_t class_size, class_address_point;
    const struct class_descriptor *descriptor;
};

struct generic_context {
    int32_t cache, pattern;
    uint16_t parameters, requirements, key_arguments, flags;
};

struct method_table {
    uint32_t offset, count;
};

struct method {
    uint32_t flags;
    int32_t implementation;
};

enum {
    descriptor_kind = 0x1F,
    descriptor_of_class = 16,
    descriptor_is_generic = 0x80,
    method_kind = 0xF,
    method_is_getter = 2,
    method_is_setter = 3,
    method_is_dynamic = 0x20,
};

static const uint32_t has_resilient_superclass = UINT32_C(1) << 29;
static const uint32_t has_method_table = UINT32_C(1) << 31;

// Returns the table of the methods that a class declares, or null if the description has a part that is unknown here.
static const struct method_table *own_methods(const struct class_descriptor *descriptor) {
    if (descriptor->flags & has_resilient_superclass) {
        return 0;
    }
    const char *next = (const char *)(descriptor + 1);
    if (descriptor->flags & descriptor_is_generic) {
        const struct generic_context *context = (const void *)next;
        if (context->flags != 0) {
            return 0;
        }
        // A byte for each parameter, padded to words of four bytes, and three such words for each requirement.
        next += sizeof *context + ((context->parameters + 3u) & ~3u) + 12u * context->requirements;
    }
    // How the runtime completes the metadata of the class. 0: not at all. 1: once; the description then has three more words of four bytes
    // here. Other values are not known.
    switch ((descriptor->flags >> 16) & 3) {
    case 0: break;
    case 1: next += 12; break;
    default: return 0;
    }
    const struct method_table *table = (const void *)next;
    bool is_inside = table->offset <= descriptor->positive_words && table->count <= descriptor->positive_words - table->offset;
    return is_inside ? table : 0;
}

static uint32_t kind(struct method method) {
    return method.flags & method_kind;
}

static const uint32_t unknown_getter = UINT32_MAX;

// Returns the index of the getter that a key path calls through the table, the number of methods if the property is final, or
// `unknown_getter`.
//
// In the object of a key path, the identity of a property that a class can override is the address of the getter's description. The
// identity of a final property is the address of the getter's code.
static uint32_t getter_index(const void *key_path, const struct method *methods, uint32_t count) {
    const uintptr_t *words = key_path;
    size_t size = words[3] & 0xFFFFFF;
    if (size < 4 * sizeof(uintptr_t)) {
        return unknown_getter;
    }
    // The component must be a computed property (kind 2) whose identity is an address. One of the two bits of 0x00300000 is set if the
    // identity is a number instead.
    const uint32_t component = *(const uint32_t *)&words[4];
    if (((component >> 24) & 0x7F) != 2 || (component & 0x00300000) != 0) {
        return unknown_getter;
    }
    uintptr_t offset = words[5] - (uintptr_t)methods;
    if (offset >= count * sizeof *methods) {
        return count;
    }
    uintptr_t index = offset / sizeof *methods;
    return offset % sizeof *methods == 0 && kind(methods[index]) == method_is_getter ? (uint32_t)index : unknown_getter;
}

bool safekvo_inherits_property(const void *type, const void *superclass, const void *key_path) {
    if (type == superclass) {
        return true;
    }
#if defined(__APPLE__)
    // The method table of a class does not contain its Objective-C methods, so the comparison below proves nothing for such a class.
    if (!is_native((Class)superclass)) {
        return false;
    }
#endif
    const struct class_descriptor *descriptor = UNSIGNED_DATA(((const struct class_metadata *)superclass)->descriptor);
    if (!descriptor || (descriptor->flags & descriptor_kind) != descriptor_of_class) {
        return false;
    }
    // Without a table, all methods are final.
    if (!(descriptor->flags & has_method_table)) {
        return true;
    }
    const struct method_table *table = own_methods(descriptor);
    if (!table) {
        return false;
    }
    const struct method *methods = (const void *)(table + 1);
    void *const *declared = (void *const *)superclass + table->offset;
    void *const *inherited = (void *const *)type + table->offset;
    const uint32_t getter = getter_index(key_path, methods, table->count);
    uint32_t last_getter = unknown_getter;
    for (uint32_t index = 0; index < table->count; index++) {
        // The table lists a property's getter before its other accessors, so a writer belongs to the same property as `last_getter`.
        const bool is_writer = kind(methods[index]) >= method_is_setter;
        if (!is_writer) {
            last_getter = index;
        }
        // The optimiser has removed this method's implementation, because nothing calls the method through the table, not even a key path.
        if (methods[index].implementation == 0) {
            continue;
        }
        const void *implementation = (const char *)&methods[index].implementation + methods[index].implementation;
        // `superclass` itself must have this implementation. Otherwise its metadata does not have the layout that this function assumes.
        if (UNSIGNED_CODE(declared[index]) != implementation) {
            return false;
        }
        // Check the setter of the property, or all setters if the property's getter is not known. The getter need not be checked, because a
        // subclass that overrides a settable property overrides the property's setter, too.
        const bool is_concerned = is_writer && (getter == unknown_getter || getter == last_getter);
        const bool is_overridden = UNSIGNED_CODE(inherited[index]) != implementation || (methods[index].flags & method_is_dynamic);
        if (is_concerned && is_overridden) {
            return false;
        }
    }
    return true;
}
