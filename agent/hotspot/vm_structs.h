// VmStructs: finds HotSpot's data through the tables that HotSpot exports for debuggers.
//
// The tables are gHotSpotVMStructs (fields), gHotSpotVMTypes (sizes), gHotSpotVMIntConstants and
// gHotSpotVMLongConstants. They are read through a Memory, so that the same code serves this
// process, another one and a core file.
//
// Guarantees: reads only where the tables say and never guesses. Each lookup scans a table (some
// microseconds in this process), so look things up at start-up and keep the results. The Memory
// must outlive the object.
// Threads: those of the Memory (over a BlockCache: one), because every lookup reads it.
// Failure: what is not in the tables is nullopt. A JVM without the tables has no fields, types or
// constants.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "agent/hotspot/memory.h"

namespace iprof::hotspot {

// Returns the address of an exported symbol of libjvm; see ElfImage.
using SymbolOf = std::function<std::optional<Address>(const char* name)>;

class VmStructs {
 public:
  VmStructs(const Memory& memory, const SymbolOf& symbols);

  const Memory& memory() const { return memory_; }

  // The fields of one type. For several of them this is faster than a lookup for each, because HotSpot lists
  // the fields of a type one after the other. The VmStructs must outlive it.
  class Fields {
   public:
    // The offset of a non-static field.
    std::optional<uint64_t> OffsetOf(std::string_view field) const;
    // The address of a static field.
    std::optional<Address> StaticField(std::string_view field) const;

   private:
    friend class VmStructs;
    Fields(const VmStructs& structs, std::string_view type)
        : structs_(structs), type_(type), first_(structs.Find(structs.fields_, type, {})) {}
    Address Find(std::string_view field, bool is_static) const;

    const VmStructs& structs_;
    const std::string_view type_;
    const Address first_;
  };
  // `type` must outlive the result.
  Fields FieldsOf(std::string_view type) const { return Fields(*this, type); }
  std::optional<uint64_t> OffsetOf(std::string_view type, std::string_view field) const {
    return FieldsOf(type).OffsetOf(field);
  }
  std::optional<Address> StaticField(std::string_view type, std::string_view field) const {
    return FieldsOf(type).StaticField(field);
  }
  // The size of a type in bytes.
  std::optional<uint64_t> SizeOf(std::string_view type) const;
  std::optional<int32_t> IntConstant(std::string_view name) const;
  std::optional<int64_t> LongConstant(std::string_view name) const;

 private:
  // An exported array. It ends with an entry whose name is null.
  struct Table {
    Address first = 0;
    uint64_t stride = 0;
    uint64_t name = 0;    // offsets within an entry
    uint64_t second = 0;  // of the field's name; only in the table of fields
  };

  // The address of the first entry with these names, or 0. An empty second one is any.
  Address Find(const Table& table, std::string_view name, std::string_view second) const {
    return FindFrom(table.first, table, name, second);
  }
  Address FindFrom(Address entry, const Table& table, std::string_view name,
                   std::string_view second) const;

  const Memory& memory_;
  Table fields_, types_, ints_, longs_;
  uint64_t field_offset_ = 0, field_address_ = 0, field_is_static_ = 0;
  uint64_t type_size_ = 0, int_value_ = 0, long_value_ = 0;
};

}  // namespace iprof::hotspot
