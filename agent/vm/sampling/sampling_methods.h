// SampledMethods: the names of all methods that a sample may contain, kept since their class was
// prepared.
//
// Why: a sample contains a jmethodID. Its class may be gone when the profile is written, and then
// the id must not be passed to the JVM. So names are read while the class is sure to be loaded, and
// here the id is only a key.
//
// Guarantees: entries are kept (the JVM does not reuse ids), except those of unloaded classes that
// no sample contains (Prune). Texts are shared, so a class that a thousand loaders load costs a
// thousand times its ids only. Knows no JVM, so it is tested without one.
// Threads: AddClass, Find and Gone on any thread, never in a signal handler.
// Failure: throws std::bad_alloc if memory is short.
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

// When a class is retransformed, its running frames keep the previous version of the methods whose code
// changes. HotSpot gives it an id of its own as soon as somebody asks for one; until then samples have null.
enum class MethodVersion : uint8_t { kCurrent, kReplaced };

// Whether a class is stored under its stable name already. HiddenNames forgets the name of an
// unloaded class, but samples stay.
enum class ClassNaming : uint8_t { kHotSpot, kStable };

// What AddClass knows of how long a class is loaded, if not the number with which Gone will identify it.
constexpr int64_t kStaysLoaded = 0;
constexpr int64_t kMayBeGone = -1;  // nothing will report when

struct SampledMethod {
  std::string_view class_descriptor;  // as JVMTI gives it: "La/B;", hidden "La/B.0x00;"
  std::string_view name;
  std::string_view descriptor;  // "(I)V"
  MethodVersion version = MethodVersion::kCurrent;
  ClassNaming naming = ClassNaming::kHotSpot;
  int64_t watch = kMayBeGone;
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

  // Adding a class again (it was redefined) adds only what is new. `watch` is the number with which
  // Gone will identify the class, or one of the constants above.
  void AddClass(std::string_view class_descriptor, std::span<const MethodOfClass> methods,
                ClassNaming naming = ClassNaming::kHotSpot, int64_t watch = kStaysLoaded);
  // The texts are valid until the next Prune.
  std::optional<SampledMethod> Find(const void* id) const;
  size_t size() const;

  // The class is gone. Its methods stay, for samples that contain them. Returns how many it had.
  size_t Gone(int64_t watch);
  // Old versions of methods may no longer run. Those that do are added again.
  void ReplacedGone();
  // How many were added since then.
  size_t replaced_methods() const;
  // The number of methods of classes that have gone since the last Prune.
  size_t gone_methods() const;
  // Forgets those of them that are not in `sampled`. No thread may use texts while it runs.
  void Prune(const std::unordered_set<const void*>& sampled);

  size_t bytes() const;

 private:
  struct Entry {
    NameId class_descriptor;
    NameId name;
    NameId descriptor;
    MethodVersion version;
    ClassNaming naming;
    int64_t watch;
  };

  mutable std::mutex lock_;
  NameTable texts_;
  std::unordered_map<const void*, Entry> by_id_;
  // of classes that may be unloaded
  std::unordered_map<int64_t, std::vector<const void*>> by_watch_;
  size_t watched_ids_ = 0;
  std::vector<const void*> gone_;
  std::vector<const void*> replaced_;  // since the last ReplacedGone
};

}  // namespace iprof::vm
