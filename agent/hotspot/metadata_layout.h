// MetadataLayout: where HotSpot keeps classes, methods, constant pools and MethodDatas, from the
// tables that it exports.
//
// What the tables do not contain, and how it is found:
//  - MethodData's own invocation and back-edge counters are 16 and 12 bytes before _tenure_traps.
//    This is accepted only if the distance to _arg_returned is a known one (28 or 24 bytes).
//  - Where an invoke's or a field access's constant is: in a ConstantPoolCacheEntry or, if the
//    tables know ResolvedMethodEntry and ResolvedFieldEntry, there.
//  - The version of a constant pool is the number behind its length. It matters for explanations only.
//  - MethodCounters::_highest_comp_level and _highest_osr_comp_level are the two bytes behind
//    _number_of_breakpoints. Who uses them checks them against code that is there (complete_counts.h).
//  - How many cells a receiver record has: see method_data.h.
//
// Guarantees: no offset is guessed; every one is plausible for the type's size.
// Threads: any; plain data. Failure: Read names the field that is missing or implausible.
#pragma once

#include <cstdint>
#include <optional>

#include "agent/hotspot/vm_structs.h"
#include "writer/base/status.h"

namespace iprof::hotspot {

struct MetadataLayout {
  static Result<MetadataLayout> Read(const VmStructs& structs);

  int32_t major = 0;    // of Java: 17, 21, 25 …
  Address loaders = 0;  // where the pointer to the first ClassLoaderData is
  Address archive = 0;  // where the pointer to the archive that is mapped is; 0: unknown

  struct {
    uint64_t next, classes, has_mirror_holder;
  } loader{};
  struct {
    uint64_t next, name, layout_helper, super, access, loader;
  } klass{};
  struct {
    uint64_t methods, constants, local_interfaces, breakpoints, init_state;
    uint8_t linked;
  } instance{};
  struct {
    uint64_t code, data, counters, access, intrinsic, compiled;
    uint32_t is_old;  // the bit of access that previous versions have; 0: none
  } method{};
  struct {
    uint64_t pool, code_size, name, signature, flags, size;
  } code{};
  struct {
    uint64_t tags, cache, length, size;
    uint64_t version;  // how often the class was redefined, except in an archive; 0: unknown
  } pool{};
  struct {
    uint64_t references, length, size;
    uint64_t entry_size, entry_index;  // ConstantPoolCacheEntry; size 0: there are none
    // Arrays of resolved entries, in newer versions; size 0: none.
    struct Resolved {
      uint64_t at, size, index, data;
    } fields, methods, dynamic;
  } cache{};
  struct {
    uint64_t length, bytes_data, pointers_data, shorts_data;
  } array{};
  struct {
    uint64_t length, body;
  } symbol{};
  struct {
    uint64_t bytecode, bci, name, signature, next;
  } breakpoint{};
  struct {
    uint64_t method, data_size, data, invocations, back_edges, fixed_size;
  } data{};
  struct {
    uint64_t invocations, back_edges;
    int32_t shift;
    uint64_t
        highest;  // the highest level of code that there ever was, then that of loops; 0: unknown
  } counters{};
  std::optional<uint64_t> level;       // nmethod::_comp_level
  std::optional<uint64_t> bootstraps;  // ConstantPool::_operands
  // How objects refer to others and to their class, where the tables have it.
  struct Heap {
    uint64_t klass;       // offset of the class in an object
    uint64_t references;  // ConstantPoolCache::_resolved_references
    Address base, klass_base;
    uint32_t shift, klass_shift;
  };
  std::optional<Heap> heap;
};

}  // namespace iprof::hotspot
