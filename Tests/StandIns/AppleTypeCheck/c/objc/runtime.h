// As much of Apple's <objc/runtime.h>, as C sees it, as the sources use.
#pragma once
#include <stdbool.h>
#include <stddef.h>

typedef struct objc_class *Class;
typedef struct objc_object *id;
typedef struct objc_selector *SEL;
typedef struct objc_ivar *Ivar;
typedef bool BOOL;

size_t class_getInstanceSize(Class type);
Class object_getClass(id obj);
Class objc_lookUpClass(const char *name);
Class class_getSuperclass(Class cls);
BOOL class_respondsToSelector(Class cls, SEL sel);
Ivar *class_copyIvarList(Class cls, unsigned int *outCount);
const char *ivar_getName(Ivar v);
ptrdiff_t ivar_getOffset(Ivar v);
SEL sel_registerName(const char *str);
