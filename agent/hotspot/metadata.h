// Metadata: reads HotSpot's symbols, class lists, constant pools and methods.
//
// Guarantees: never reads objects, so garbage collectors do not matter. Every length and every chain
// is bounded, so damaged or changing memory ends in a failure and never in an endless loop. Texts
// stay valid as long as what was given to keep them.
// Threads: one. Failure: nullopt or false for what cannot be read or makes no sense.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "agent/hotspot/block_cache.h"
#include "agent/hotspot/metadata_layout.h"
#include "agent/hotspot/text_store.h"
#include "writer/base/number_map.h"

namespace iprof::hotspot {

// A class, interface or array type in a loader's list.
struct ListedClass {
  Address at = 0;
  Address loader = 0;     // its ClassLoaderData
  std::string_view name;  // HotSpot's symbol: a hidden class has a '+' before its suffix
  Address super = 0;
  uint16_t access = 0;
  bool is_instance = false;  // no array
  bool is_linked = false;
};

struct ListedMethod {
  Address at = 0;
  Address code = 0;  // its ConstMethod
  Address data = 0;  // its MethodData, or 0
  Address pool = 0;
  std::string_view name;
  std::string_view descriptor;
  uint16_t access = 0;
  uint16_t name_index = 0, descriptor_index = 0;
  uint32_t code_size = 0;
  uint32_t invocations = 0;           // counted by MethodCounters
  uint32_t back_edges = 0;            // counted there, too: jumps backwards without a MethodData
  bool has_unknown_counters = false;  // MethodCounters cannot be read
  bool has_lowered_counters =
      false;             // HotSpot made one of them smaller, as it was near its largest value
  Address compiled = 0;  // its code, compiled; 0: none now
  // The highest tier of code that there ever was, and of code that was entered in a loop.
  std::optional<uint8_t> highest, highest_of_loops;
  uint16_t intrinsic = 0;  // 0: none
  bool is_old = false;     // a previous version, if the JVM marks it
};

// A constant pool, copied.
struct Pool {
  std::vector<uint8_t> tags;
  std::vector<uint64_t> slots;
  Address cache = 0;  // 0: the class has not been linked

  uint8_t TagOf(uint32_t index) const { return index < tags.size() ? tags[index] : uint8_t{0}; }
};

// What an instruction names.
struct PoolMember {
  std::string_view owner;  // empty for invokedynamic
  std::string_view name;
  std::string_view descriptor;
};

class Metadata {
 public:
  // `texts` keeps the texts of symbols.
  Metadata(const BlockCache& memory, const MetadataLayout& layout, TextStore& texts)
      : memory_(memory), layout_(layout), texts_(texts) {}
  Metadata(const Metadata&) = delete;
  Metadata& operator=(const Metadata&) = delete;

  const BlockCache& memory() const { return memory_; }
  const MetadataLayout& layout() const { return layout_; }

  // All classes of all loaders, those of a loader in the order of their definition. nullopt if a
  // list cannot be followed to its end, as may happen while classes are unloaded.
  std::optional<std::vector<ListedClass>> Classes();
  // The methods that a class declares.
  std::optional<std::vector<ListedMethod>> MethodsOf(const ListedClass& klass);
  // The interfaces that a class names itself.
  std::vector<Address> InterfacesOf(const ListedClass& klass);

  // Takes memory for about this many symbols at once.
  void ReserveSymbols(size_t symbols) { symbols_.Reserve(symbols); }
  std::optional<std::string_view> Symbol(Address symbol);

  std::optional<Pool> ReadPool(Address pool) const;
  std::optional<std::string_view> Utf8(const Pool& pool, uint32_t index);
  std::optional<std::string_view> ClassName(const Pool& pool, uint32_t index);
  std::optional<PoolMember> Member(const Pool& pool, uint32_t index);

  template <typename T>
  std::optional<std::vector<T>> Array(Address array, uint64_t data, uint32_t most) const {
    const auto length = memory_.Load<int32_t>(array + layout_.array.length);
    if (array == 0 || !length || *length < 0 || static_cast<uint32_t>(*length) > most)
      return std::nullopt;
    std::vector<T> items(static_cast<size_t>(*length));
    if (!memory_.Read(array + data, items.data(), items.size() * sizeof(T))) return std::nullopt;
    return items;
  }

 private:
  // The symbols of a class that the JVM unloads during the read may hold anything.
  enum class Legality : uint8_t { kUnknown, kLegal, kIllegal };
  struct Text {
    const char* bytes = nullptr;
    uint16_t length = 0;
    Legality as_name = Legality::kUnknown;
    Legality as_descriptor = Legality::kUnknown;

    std::string_view text() const { return {bytes, length}; }
  };

  // Valid until the next text is read. Null if it cannot be read.
  Text* TextOf(Address symbol);
  template <typename IsLegal>
  std::optional<std::string_view> LegalText(Address symbol, Legality Text::*legality,
                                            IsLegal is_legal);
  std::optional<ListedClass> ReadClass(Address at, Address loader);
  // What names a method.
  struct Symbols {
    Address name = 0, descriptor = 0;
  };
  // All but the texts, whose symbols are given instead.
  std::optional<ListedMethod> ReadMethod(Address at, Symbols* symbols) const;
  std::optional<std::string_view> MethodName(Address symbol);
  std::optional<std::string_view> MethodDescriptor(Address symbol);

  const BlockCache& memory_;
  const MetadataLayout& layout_;
  TextStore& texts_;
  NumberMap<Text> symbols_;
  std::vector<Symbols> symbols_of_methods_;  // of the class that is read
};

}  // namespace iprof::hotspot
