// As much of Foundation as the sources use, with the signatures that Apple documents.
#pragma once
#include "ObjC.h"

#define NS_OPTIONS(_type, _name) enum __attribute__((flag_enum, enum_extensibility(open))) _name : _type _name; enum _name : _type
#define NS_ENUM(_type, _name) enum __attribute__((enum_extensibility(open))) _name : _type _name; enum _name : _type

#pragma clang assume_nonnull begin

@protocol NSCopying
@end

__attribute__((swift_bridge("Swift.String")))
@interface NSString : NSObject
@end

@interface NSValue : NSObject
@end

@interface NSNumber : NSValue
@end

@interface NSNull : NSObject
@end

__attribute__((swift_bridge("Swift.Dictionary")))
@interface NSDictionary<K, V> : NSObject
@end

__attribute__((swift_bridge("Swift.Array")))
@interface NSArray<V> : NSObject
@end

@interface NSMutableArray<V> : NSArray<V>
- (void)addObject:(V)object;
@end

__attribute__((swift_bridge("Swift.Set")))
@interface NSSet<V> : NSObject
@end

@interface NSOrderedSet<V> : NSObject
@property (copy, readonly) NSArray<V> *array;
@end

@interface NSError : NSObject
@end

typedef struct _NSRange {
    NSUInteger location;
    NSUInteger length;
} NSRange;

@interface NSIndexSet : NSObject
- (void)enumerateRangesUsingBlock:(void (^ __attribute__((noescape)))(NSRange range, BOOL *stop))block;
@end

SEL NSSelectorFromString(NSString *aSelectorName);

typedef NSString *NSKeyValueChangeKey __attribute__((swift_wrapper(struct)));
extern NSKeyValueChangeKey const NSKeyValueChangeKindKey;
extern NSKeyValueChangeKey const NSKeyValueChangeNewKey;
extern NSKeyValueChangeKey const NSKeyValueChangeOldKey;
extern NSKeyValueChangeKey const NSKeyValueChangeIndexesKey;
extern NSKeyValueChangeKey const NSKeyValueChangeNotificationIsPriorKey;

typedef NS_OPTIONS(NSUInteger, NSKeyValueObservingOptions) {
    NSKeyValueObservingOptionNew = 0x01,
    NSKeyValueObservingOptionOld = 0x02,
    NSKeyValueObservingOptionInitial = 0x04,
    NSKeyValueObservingOptionPrior = 0x08
};

typedef NS_ENUM(NSUInteger, NSKeyValueChange) {
    NSKeyValueChangeSetting = 1,
    NSKeyValueChangeInsertion = 2,
    NSKeyValueChangeRemoval = 3,
    NSKeyValueChangeReplacement = 4
};

@interface NSObject (NSKeyValueCoding)
@property (class, readonly) BOOL accessInstanceVariablesDirectly;
- (nullable id)valueForKey:(NSString *)key;
- (nullable id)valueForKeyPath:(NSString *)keyPath;
- (nullable id)valueForUndefinedKey:(NSString *)key;
- (void)setValue:(nullable id)value forKey:(NSString *)key;
- (NSMutableArray *)mutableArrayValueForKey:(NSString *)key;
@end

@interface NSObject (NSKeyValueObserving)
- (void)observeValueForKeyPath:(nullable NSString *)keyPath
                      ofObject:(nullable id)object
                        change:(nullable NSDictionary<NSKeyValueChangeKey, id> *)change
                       context:(nullable void *)context;
@end

@interface NSObject (NSKeyValueObserverRegistration)
- (void)addObserver:(NSObject *)observer
         forKeyPath:(NSString *)keyPath
            options:(NSKeyValueObservingOptions)options
            context:(nullable void *)context;
- (void)removeObserver:(NSObject *)observer forKeyPath:(NSString *)keyPath context:(nullable void *)context;
- (void)removeObserver:(NSObject *)observer forKeyPath:(NSString *)keyPath;
@end

@interface NSObject (NSKeyValueObserverNotification)
+ (BOOL)automaticallyNotifiesObserversForKey:(NSString *)key;
- (void)willChangeValueForKey:(NSString *)key;
- (void)didChangeValueForKey:(NSString *)key;
- (void)willChange:(NSKeyValueChange)changeKind valuesAtIndexes:(NSIndexSet *)indexes forKey:(NSString *)key;
- (void)didChange:(NSKeyValueChange)changeKind valuesAtIndexes:(NSIndexSet *)indexes forKey:(NSString *)key;
@end

#pragma clang assume_nonnull end
