// FakeHotSpot: a small memory image with classes, methods and MethodDatas as HotSpot keeps them, for
// tests and fuzzing.
//
// Guarantees: reads outside of the image fail, as those of a process do.
// Threads: one. Failure: asserts if the image is full.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "agent/hotspot/bytes_memory.h"
#include "agent/hotspot/fake_structs.h"
#include "agent/hotspot/memory.h"
#include "agent/hotspot/metadata_layout.h"
#include "agent/hotspot/unchanged_memory.h"
#include "agent/hotspot/vm_flags.h"

namespace iprof::hotspot {

class FakeHotSpot final : public Memory {
 public:
  static constexpr Address kBase = 0x10000;

  FakeHotSpot() : bytes_(256 << 10) {
    layout_.major = 17;
    layout_.loaders = Allocate(8);
    layout_.loader = {0, 8, 16};
    layout_.klass = {0, 8, 16, 24, 32, 40};
    layout_.instance = {48, 56, 64, 72, 80, 2};
    layout_.method = {0, 8, 16, 24, 28, 32, 0};
    layout_.code = {0, 8, 10, 12, 16, 24};
    layout_.pool = {0, 8, 16, 32, 0};
    layout_.bootstraps = 24;
    layout_.cache.references = 0;
    layout_.cache.length = 8;
    layout_.cache.size = 16;
    layout_.cache.entry_size = 32;
    layout_.array = {0, 4, 8, 4};
    layout_.symbol = {0, 2};
    layout_.breakpoint = {0, 4, 8, 10, 16};
    layout_.data = {0, 8, 24, 12, 16, 32};
    layout_.counters = {0, 4, 1, 0};
  }

  const MetadataLayout& layout() const { return layout_; }
  std::vector<uint8_t>& bytes() { return bytes_; }
  size_t used() const { return used_; }

  bool Read(Address from, void* into, size_t size) const override {
    if (from < kBase || from - kBase > bytes_.size() || size > bytes_.size() - (from - kBase))
      return false;
    std::memcpy(into, bytes_.data() + (from - kBase), size);
    return true;
  }

  Address Allocate(size_t size) {
    const size_t at = used_;
    used_ += (size + 7) / 8 * 8;
    assert(used_ <= bytes_.size());
    return kBase + at;
  }
  template <typename T>
  void Put(Address at, T value) {
    std::memcpy(bytes_.data() + (at - kBase), &value, sizeof value);
  }

  Address Symbol(std::string_view text) {
    const Address at = Allocate(2 + text.size());
    Put(at, static_cast<uint16_t>(text.size()));
    std::memcpy(bytes_.data() + (at + 2 - kBase), text.data(), text.size());
    return at;
  }
  Address Pointers(const std::vector<Address>& items) {
    const Address at = Allocate(8 + 8 * items.size());
    Put(at, static_cast<int32_t>(items.size()));
    for (size_t i = 0; i < items.size(); ++i) Put(at + 8 + 8 * i, items[i]);
    return at;
  }

  // A loader with no classes yet.
  Address Loader() {
    const Address at = Allocate(24);
    Put(at, Load<Address>(layout_.loaders).value_or(0));
    Put(layout_.loaders, at);
    return at;
  }
  // A linked class, in front of the loader's list.
  Address Class(Address loader, std::string_view name, Address super = 0) {
    const Address at = Allocate(88);
    Put(at + layout_.klass.next, Load<Address>(loader + 8).value_or(0));
    Put(loader + 8, at);
    Put(at + layout_.klass.name, Symbol(name));
    Put(at + layout_.klass.super, super);
    Put(at + layout_.klass.access, uint16_t{1});
    Put(at + layout_.klass.loader, loader);
    Put(at + layout_.instance.methods, Pointers({}));
    Put(at + layout_.instance.local_interfaces, Pointers({}));
    Put(at + layout_.instance.init_state, uint8_t{4});
    return at;
  }

  struct Constant {
    uint8_t tag;
    uint64_t slot;
  };
  // Constants from index 1 on, the cache entries' constants, and HotSpot's array of bootstrap methods.
  Address Pool(const std::vector<Constant>& constants, const std::vector<uint16_t>& cached,
               const std::vector<uint16_t>& bootstraps = {}) {
    const Address tags = Allocate(5 + constants.size());
    Put(tags, static_cast<int32_t>(constants.size() + 1));
    const Address cache = Allocate(16 + 32 * cached.size());
    Put(cache + 8, static_cast<int32_t>(cached.size()));
    for (size_t i = 0; i < cached.size(); ++i) Put(cache + 16 + 32 * i, cached[i]);
    const Address operands = Allocate(4 + 2 * bootstraps.size());
    Put(operands, static_cast<int32_t>(bootstraps.size()));
    for (size_t i = 0; i < bootstraps.size(); ++i) Put(operands + 4 + 2 * i, bootstraps[i]);
    const Address at = Allocate(layout_.pool.size + 8 * (constants.size() + 1));
    Put(at, tags);
    Put(at + 8, cache);
    Put(at + 16, static_cast<int32_t>(constants.size() + 1));
    Put(at + 24, operands);
    for (size_t i = 0; i < constants.size(); ++i) {
      Put(tags + 5 + i, constants[i].tag);
      Put(at + layout_.pool.size + 8 * (i + 1), constants[i].slot);
    }
    return at;
  }

  // Adds a method that the class declares; its name and descriptor are constants 1 and 2.
  Address Method(Address klass, Address pool, const std::vector<uint8_t>& code,
                 uint32_t invocations) {
    const Address body = Allocate(24 + code.size());
    Put(body, pool);
    Put(body + 8, static_cast<uint16_t>(code.size()));
    Put(body + 10, uint16_t{1});
    Put(body + 12, uint16_t{2});
    std::copy(code.begin(), code.end(), bytes_.data() + (body + 24 - kBase));
    const Address counters = Allocate(8);
    Put(counters, invocations << 1);
    const Address at = Allocate(48);
    Put(at, body);
    Put(at + 16, counters);
    Put(at + 24, uint32_t{9});
    std::vector<Address>& all = methods_[klass];
    all.push_back(at);
    Put(klass + layout_.instance.methods, Pointers(all));
    return at;
  }
  Address Data(Address method, const std::vector<uint64_t>& words, uint32_t invocations) {
    const Address at = Allocate(24 + 8 * words.size());
    Put(at, method);
    Put(at + 8, static_cast<int32_t>(8 * words.size()));
    Put(at + 12, invocations << 1);
    for (size_t i = 0; i < words.size(); ++i) Put(at + 24 + 8 * i, words[i]);
    Put(method + 8, at);
    return at;
  }

 private:
  std::vector<uint8_t> bytes_;
  size_t used_ = 0;
  MetadataLayout layout_;
  std::map<Address, std::vector<Address>> methods_;  // by class
};

// One class a/A with a method run()V that was linked, quickened and counted:
//   0: aload_0; 1: invokevirtual a/A.run; 4: ifeq 8; 7: nop; 8: return
// The call had 80 receivers of a/A, the branch was taken 30 times of 80.
struct FakeProgram {
  FakeHotSpot vm;
  Address loader = vm.Loader();
  Address klass = vm.Class(loader, "a/A");
  Address pool = vm.Pool({{1, vm.Symbol("run")},
                          {1, vm.Symbol("()V")},
                          {1, vm.Symbol("a/A")},
                          {7, uint64_t{3} << 16},
                          {12, uint64_t{2} << 16 | 1},
                          {10, uint64_t{5} << 16 | 4}},
                         {0, 6});
  Address method = vm.Method(klass, pool, {220, 182, 1, 0, 153, 0, 4, 0, 177}, 20);
  Address data =
      vm.Data(method,
              {uint64_t{1} << 16 | 5, 0, 0, klass, 80, 0, 0,  // VirtualCallData, extra cell
               uint64_t{4} << 16 | 7, 30, 0, 50},             // BranchData
              80);
};

// What a JVM began with whose memory is that of a file now: these bytes.
inline UnchangedMemory BeganWith(const std::vector<uint8_t>& bytes) {
  const MappedPart part{.at = FakeHotSpot::kBase,
                        .size = bytes.size(),
                        .offset = 0,
                        .path = "/app.aot",
                        .is_writable = true};
  return UnchangedMemory(
      {part}, [bytes](const MappedPart&) { return std::make_unique<BytesMemory>(bytes); });
}

// Flags of a JVM that uses an AOT cache with counts of a training run.
inline VmFlags TrainedFlags() {
  struct Flag {
    const void* value;
    const char* name;
  };
  static const uint8_t replays = 1;
  static const char* const cache = "/app.aot";
  static const Flag flags[] = {{&replays, "AOTReplayTraining"}, {&cache, "AOTCache"}};
  static const Flag* const first = flags;
  static const uint64_t count = std::size(flags);
  static FakeStructs& fake = *[] {
    auto* const made = new FakeStructs;
    made->AddField("JVMFlag", "_name", offsetof(Flag, name));
    made->AddField("JVMFlag", "_addr", offsetof(Flag, value));
    made->AddType("JVMFlag", sizeof(Flag));
    made->AddStatic("JVMFlag", "flags", &first);
    made->AddStatic("JVMFlag", "numFlags", &count);
    return made;
  }();
  static const OwnMemory memory;
  static const VmStructs structs(memory, fake.Symbols());
  return VmFlags(structs);
}

// Flags of a JVM that exports none: all have their defaults.
inline VmFlags NoFlags() {
  static const OwnMemory memory;
  static const VmStructs structs(memory, [](const char*) { return std::optional<Address>(); });
  return VmFlags(structs);
}

}  // namespace iprof::hotspot
