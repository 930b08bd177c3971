// InheritedMembers: fields and methods of java.lang.Object through which every class reaches the
// counters, with any loader.
//
// Why: if a probe names a holder class, the loader of the probe's class resolves it. A loader that
// delegates only names that it knows would throw NoClassDefFoundError into the program. But an
// inherited member is named through the class itself: resolution goes from the class through its
// superclasses to Object, and no loader is asked. Interfaces do not inherit static methods of
// Object, so they name Object, which they must name as their superclass anyway.
//
// What Object gets:
//   public static final long[] iprof$X$c0 … iprof$X$c31  the arrays of the first chunks of counters
//   public static long[] iprof$X$row(int chunk)          the array of any chunk, without stripes
//   public static void iprof$X$hit(Object, int chunk, int site)
//   public static void iprof$X$meet(Object, int chunk, int site)
//   public static void iprof$X$count(int counter)
//   public static void iprof$X$countKey(int key, int low, int keys, int first)
//   public static void iprof$X$object(Object, int site)  and number, numbers, objects (watched_code.h)
// X is a different number in each process, so that no class file contains such a name; members of
// the class itself or of its superclasses would be found first. The fields are null until the agent
// sets them, before any class refers to them. The methods call those of the runtime class
// (runtime/java/lang/IprofReach.java).
//
// Guarantees: within a process the names never change. Threads: any. Failure: AddInheritedMembers
// returns the reason.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/classfile/class_file.h"
#include "agent/classfile/pool_additions.h"

namespace iprof::instrument {

inline constexpr uint32_t kInheritedFields = 32;

// "iprof$X$c7"; the descriptor is [J.
std::string InheritedFieldName(uint32_t chunk);

struct InheritedMethod {
  std::string_view runtime_name;  // the runtime class's name for it
  std::string_view descriptor;
  std::string Name() const;  // "iprof$X$row"
  bool operator==(const InheritedMethod&) const = default;
};
inline constexpr InheritedMethod kInheritedRow{"row", "(I)[J"};
inline constexpr InheritedMethod kInheritedHit{"hit", "(Ljava/lang/Object;II)V"};
inline constexpr InheritedMethod kInheritedMeet{"meet", "(Ljava/lang/Object;II)V"};
inline constexpr InheritedMethod kInheritedCount{"count", "(I)V"};
inline constexpr InheritedMethod kInheritedCountKey{"countKey", "(IIII)V"};
inline constexpr InheritedMethod kInheritedObject{"object", "(Ljava/lang/Object;I)V"};
inline constexpr InheritedMethod kInheritedObjects{"objects",
                                                   "(Ljava/lang/Object;Ljava/lang/Object;I)V"};
inline constexpr InheritedMethod kInheritedNumber{"number", "(II)V"};
inline constexpr InheritedMethod kInheritedNumbers{"numbers", "(III)V"};
inline constexpr InheritedMethod kInheritedMethods[] = {
    kInheritedRow,    kInheritedHit,     kInheritedMeet,   kInheritedCount,  kInheritedCountKey,
    kInheritedObject, kInheritedObjects, kInheritedNumber, kInheritedNumbers};

// Whether a field or method has one of these names.
bool IsInheritedName(std::string_view member_name);

// Adds the members to java.lang.Object, unless it has them. Its methods call those of
// `runtime_class`. If counters are `striped`, C1 does not inline the methods that count: see
// runtime/java/lang/IprofStriped0.java.
classfile::Reason AddInheritedMembers(const classfile::ClassFile& object,
                                      std::string_view runtime_class, bool striped,
                                      classfile::Arena& arena, classfile::ByteSpan* result);

// The constants with which the class `file` names the members.
classfile::CpIndex InheritedField(const classfile::ClassFile& file, uint32_t chunk,
                                  classfile::PoolAdditions& pool);
classfile::CpIndex InheritedMethodRef(const classfile::ClassFile& file,
                                      const InheritedMethod& method,
                                      classfile::PoolAdditions& pool);

}  // namespace iprof::instrument
