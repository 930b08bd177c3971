// VmStructs: where HotSpot keeps its data, as HotSpot itself says.
//
// Every HotSpot exports tables for debuggers: gHotSpotVMStructs (fields), gHotSpotVMTypes (sizes), gHotSpotVMIntConstants and
// gHotSpotVMLongConstants. This reads them over a Memory, so that the same code serves this process, another process and a core file.
//
// Guarantees: reads only where the tables say; what is not in them is nothing, never a guess. A JVM without the tables has no fields,
// types or constants. Each question scans a table (some microseconds in this process): ask at start-up, keep the answers.
// Threads: any; nothing changes after construction. The Memory must outlive the object.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// The address of an exported symbol of libjvm; see ElfImage.
using SymbolOf = std::function<std::optional<Address>(const char* name)>;

class VmStructs {
 public:
  VmStructs(const Memory& memory, const SymbolOf& symbols);

  const Memory& memory() const { return memory_; }

  // The offset of a field that is not static.
  std::optional<uint64_t> OffsetOf(std::string_view type, std::string_view field) const;
  // The address of a static field.
  std::optional<Address> StaticField(std::string_view type, std::string_view field) const;
  // The size of a type in bytes.
  std::optional<uint64_t> SizeOf(std::string_view type) const;
  std::optional<int32_t> IntConstant(std::string_view name) const;
  std::optional<int64_t> LongConstant(std::string_view name) const;

 private:
  // An exported array that ends with an entry without a name.
  struct Table {
    Address first = 0;
    uint64_t stride = 0;
    uint64_t name = 0;    // offsets in an entry
    uint64_t second = 0;  // the field's name, in the table of fields
  };

  // The entry with these names; 0 where there is none.
  Address Find(const Table& table, std::string_view name, std::string_view second) const;
  bool Is(Address text_pointer, std::string_view wanted) const;

  const Memory& memory_;
  Table fields_, types_, ints_, longs_;
  uint64_t field_offset_ = 0, field_address_ = 0, field_is_static_ = 0;
  uint64_t type_size_ = 0, int_value_ = 0, long_value_ = 0;
};

}  // namespace iprof::hotspot
