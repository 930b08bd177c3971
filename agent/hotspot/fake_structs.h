// FakeStructs: builds tables as HotSpot exports them, for tests.
//
// Guarantees: all tables are in this process's memory, so OwnMemory can read them. Symbols() stays
// valid until something is added or the object is destroyed.
// Threads: one. Failure: none.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "agent/hotspot/vm_structs.h"

namespace iprof::hotspot {

class FakeStructs {
 public:
  void AddField(const char* type, const char* name, uint64_t offset) {
    fields_.push_back({type, name, offset, nullptr, 0});
  }
  void AddStatic(const char* type, const char* name, const void* address) {
    fields_.push_back({type, name, 0, address, 1});
  }
  void AddType(const char* name, uint64_t size) { types_.push_back({name, size}); }
  void AddInt(const char* name, int32_t value) { ints_.push_back({name, value}); }
  void AddLong(const char* name, int64_t value) { longs_.push_back({name, value}); }

  // Terminates the tables and returns a lookup function. It is valid while this object lives and
  // nothing is added.
  SymbolOf Symbols() {
    numbers_.clear();
    symbols_.clear();
    fields_.push_back({});
    types_.push_back({});
    ints_.push_back({});
    longs_.push_back({});
    Export("gHotSpotVMStructs", AddressOf(fields_.data()));
    Export("gHotSpotVMStructEntryArrayStride", sizeof(Field));
    Export("gHotSpotVMStructEntryTypeNameOffset", offsetof(Field, type));
    Export("gHotSpotVMStructEntryFieldNameOffset", offsetof(Field, name));
    Export("gHotSpotVMStructEntryOffsetOffset", offsetof(Field, offset));
    Export("gHotSpotVMStructEntryAddressOffset", offsetof(Field, address));
    Export("gHotSpotVMStructEntryIsStaticOffset", offsetof(Field, is_static));
    Export("gHotSpotVMTypes", AddressOf(types_.data()));
    Export("gHotSpotVMTypeEntryArrayStride", sizeof(Type));
    Export("gHotSpotVMTypeEntryTypeNameOffset", offsetof(Type, name));
    Export("gHotSpotVMTypeEntrySizeOffset", offsetof(Type, size));
    Export("gHotSpotVMIntConstants", AddressOf(ints_.data()));
    Export("gHotSpotVMIntConstantEntryArrayStride", sizeof(Int));
    Export("gHotSpotVMIntConstantEntryNameOffset", offsetof(Int, name));
    Export("gHotSpotVMIntConstantEntryValueOffset", offsetof(Int, value));
    Export("gHotSpotVMLongConstants", AddressOf(longs_.data()));
    Export("gHotSpotVMLongConstantEntryArrayStride", sizeof(Long));
    Export("gHotSpotVMLongConstantEntryNameOffset", offsetof(Long, name));
    Export("gHotSpotVMLongConstantEntryValueOffset", offsetof(Long, value));
    return [this](const char* name) -> std::optional<Address> {
      const auto found = symbols_.find(name);
      if (found == symbols_.end()) return std::nullopt;
      return found->second;
    };
  }

  // Makes the lookup fail for this symbol, as if libjvm did not export it.
  void Hide(const char* symbol) { symbols_.erase(symbol); }

 private:
  struct Field {
    const char* type = nullptr;
    const char* name = nullptr;
    uint64_t offset = 0;
    const void* address = nullptr;
    int32_t is_static = 0;
  };
  struct Type {
    const char* name = nullptr;
    uint64_t size = 0;
  };
  struct Int {
    const char* name = nullptr;
    int32_t value = 0;
  };
  struct Long {
    const char* name = nullptr;
    int64_t value = 0;
  };

  static Address AddressOf(const void* at) {
    return static_cast<Address>(reinterpret_cast<uintptr_t>(at));
  }
  void Export(const char* name, uint64_t value) {
    numbers_.push_back(value);
    symbols_[name] = AddressOf(&numbers_.back());
  }

  std::vector<Field> fields_;
  std::vector<Type> types_;
  std::vector<Int> ints_;
  std::vector<Long> longs_;
  // the values of the symbols; a deque, because their addresses must not change
  std::deque<uint64_t> numbers_;
  std::map<std::string, Address> symbols_;
};

}  // namespace iprof::hotspot
