// SampledMethods: the names of every method that a sample may show, kept from when its class was
// prepared.
//
// Why: a sample holds a jmethodID. Its class may be gone when the profile is written, and then the
// id must not be handed to the JVM any more. So names are taken while the class surely lives, and
// the id is only a key here.
//
// Guarantees: AddClass, Find and Gone may be called from any thread, never from a signal handler.
// Entries stay for good (the JVM does not use an id twice), but for those of classes that are gone
// and that no sample shows (Prune); texts are shared, so that a class loaded a thousand times by a
// thousand loaders costs its ids alone. Knows no JVM: it is tested without one. Out of memory throws.
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "writer/base/name_table.h"

namespace iprof::vm {

// A class that is retransformed leaves its running frames to the version from before, which has ids
// of its own; its positions are the class file's.
enum class MethodVersion : uint8_t { kCurrent, kReplaced };

// Whether a class has its stable name here already: HiddenNames forgets the name of a class that is
// unloaded, but samples stay.
enum class ClassNaming : uint8_t { kHotSpot, kStable };

struct SampledMethod {
  std::string_view class_descriptor;  // as JVMTI gives it: "La/B;", hidden "La/B.0x00;"
  std::string_view name;
  std::string_view descriptor;  // "(I)V"
  MethodVersion version = MethodVersion::kCurrent;
  ClassNaming naming = ClassNaming::kHotSpot;
};

struct MethodOfClass {
  const void* id;  // the jmethodID
  std::string name;
  std::string descriptor;
  MethodVersion version = MethodVersion::kCurrent;
};

class SampledMethods {
 public:
  SampledMethods() = default;
  SampledMethods(const SampledMethods&) = delete;
  SampledMethods& operator=(const SampledMethods&) = delete;

  // Adding a class again (it was redefined) adds what is new. `watch`: a number by which Gone will
  // know the class; 0 where it stays.
  void AddClass(std::string_view class_descriptor, std::span<const MethodOfClass> methods,
                ClassNaming naming = ClassNaming::kHotSpot, int64_t watch = 0);
  // Texts live until the next Prune.
  std::optional<SampledMethod> Find(const void* id) const;
  size_t size() const;

  // The class is gone. Its methods stay for the samples that show them. Returns how many it had.
  size_t Gone(int64_t watch);
  // Methods of classes that have gone since the last Prune.
  size_t gone_methods() const;
  // Forgets those among them that are not among `sampled`. Nobody may use texts meanwhile.
  void Prune(const std::unordered_set<const void*>& sampled);

  size_t bytes() const;

 private:
  struct Entry {
    NameId class_descriptor;
    NameId name;
    NameId descriptor;
    MethodVersion version;
    ClassNaming naming;
  };

  mutable std::mutex lock_;
  NameTable texts_;
  std::unordered_map<const void*, Entry> by_id_;
  std::unordered_map<int64_t, std::vector<const void*>> by_watch_;  // of classes that may go
  size_t watched_ids_ = 0;
  std::vector<const void*> gone_;
};

}  // namespace iprof::vm
