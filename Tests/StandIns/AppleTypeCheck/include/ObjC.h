// As much of <objc/NSObject.h> and <objc/runtime.h> as the sources use, with the signatures that Apple documents.
#pragma once

typedef _Bool BOOL;
typedef unsigned long NSUInteger;
typedef long NSInteger;
typedef struct objc_selector *SEL;
typedef struct objc_ivar *Ivar;
typedef struct objc_method *Method;

#pragma clang assume_nonnull begin

@protocol NSObject
- (BOOL)isEqual:(nullable id)object;
@property (readonly) NSUInteger hash;
- (BOOL)respondsToSelector:(SEL)aSelector;
@end

__attribute__((objc_root_class))
@interface NSObject <NSObject>
- (instancetype)init;
@end

typedef enum __attribute__((enum_extensibility(open))) objc_AssociationPolicy : unsigned long objc_AssociationPolicy;
enum objc_AssociationPolicy : unsigned long {
    // The atomic ones are left out: what objc_getAssociatedObject returns of them is autoreleased, and so outlives the object.
    OBJC_ASSOCIATION_ASSIGN = 0,
    OBJC_ASSOCIATION_RETAIN_NONATOMIC = 1,
    OBJC_ASSOCIATION_COPY_NONATOMIC = 3
};

void objc_setAssociatedObject(id object, const void *key, id _Nullable value, objc_AssociationPolicy policy);
id _Nullable objc_getAssociatedObject(id object, const void *key);

Class _Nullable object_getClass(id _Nullable obj);
Method _Nullable class_getInstanceMethod(Class _Nullable cls, SEL name);
Ivar _Nullable class_getInstanceVariable(Class _Nullable cls, const char *name);
const char *_Nullable method_getTypeEncoding(Method m);
const char *_Nullable ivar_getTypeEncoding(Ivar v);

#pragma clang assume_nonnull end
