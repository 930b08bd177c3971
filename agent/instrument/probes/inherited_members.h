// InheritedMembers: fields and methods of java.lang.Object through which every class reaches the
// counters, whatever its loader does.
//
// Why: a probe that names a holder class has it resolved by the loader of the class that it is in.
// A loader that passes on only the names it knows throws NoClassDefFoundError into the program then.
// But a member that a class inherits is named through the class itself: resolution goes from the
// class to its superclasses up to Object, and no loader is asked. Static methods of Object are not
// inherited by interfaces; these name Object, which they had to name as their superclass.
//
// What Object gets:
//   public static final long[] iprof-X-c0 … iprof-X-c31   the arrays of the first chunks of counters
//   public static long[] iprof-X-row(int chunk)           the array of any chunk, of the thread's stripe
//   public static void iprof-X-hit(Object, int chunk, int site)
//   public static void iprof-X-meet(Object, int chunk, int site)
//   public static void iprof-X-count(int counter)
//   public static void iprof-X-countKey(int key, int low, int keys, int first)
// X is another number in each process, so that no class file has such a name: a class's own members,
// or its superclasses', would be found first. The fields are null until the agent sets them, before
// any class refers to them; the methods pass on to the runtime class
// (runtime/java/lang/IprofReach.java).
//
// Any thread; in one process the same names always.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/classfile/class_file.h"
#include "agent/classfile/pool_additions.h"

namespace iprof::instrument {

inline constexpr uint32_t kInheritedFields = 32;

// "iprof-X-c7"; the descriptor is [J.
std::string InheritedFieldName(uint32_t chunk);

struct InheritedMethod {
  std::string_view runtime_name;  // the runtime class's name for it
  std::string_view descriptor;
  std::string Name() const;  // "iprof-X-row"
};
inline constexpr InheritedMethod kInheritedRow{"row", "(I)[J"};
inline constexpr InheritedMethod kInheritedHit{"hit", "(Ljava/lang/Object;II)V"};
inline constexpr InheritedMethod kInheritedMeet{"meet", "(Ljava/lang/Object;II)V"};
inline constexpr InheritedMethod kInheritedCount{"count", "(I)V"};
inline constexpr InheritedMethod kInheritedCountKey{"countKey", "(IIII)V"};
inline constexpr InheritedMethod kInheritedMethods[] = {
    kInheritedRow, kInheritedHit, kInheritedMeet, kInheritedCount, kInheritedCountKey};

// Whether a field or method has one of these names.
bool IsInheritedName(std::string_view member_name);

// Gives java.lang.Object the members, unless it has them; its methods call those of `runtime_class`.
classfile::Reason AddInheritedMembers(const classfile::ClassFile& object,
                                      std::string_view runtime_class, classfile::Arena& arena,
                                      classfile::ByteSpan* result);

// Constants by which the class `file` names them.
classfile::CpIndex InheritedField(const classfile::ClassFile& file, uint32_t chunk,
                                  classfile::PoolAdditions& pool);
classfile::CpIndex InheritedMethodRef(const classfile::ClassFile& file,
                                      const InheritedMethod& method,
                                      classfile::PoolAdditions& pool);

}  // namespace iprof::instrument
