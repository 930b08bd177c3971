// HashNames: the profile names of classes by identity hash, for counts that refer to no class.
//
// The spill table (IprofTypes) counts objects of classes that may be unloaded under their class's
// identity hash. HashNames maps the hash to the name as long as such counts may exist.
//
// Guarantees:
// - Find never guesses: it reports if classes with several names share a hash.
// - A class takes 16 bytes; each name is stored once, however many classes have it. Memory stays
//   within the limit, give or take one class; what comes beyond it is refused and counted.
// - A class that is gone is forgotten at the second Sweep after its end, so counts in the half of
//   the table that was in use at its end can still be named.
// Threads: Add on any thread, with a mutex that is held for a few instructions; the rest on one
// thread at a time. Calls no JVM; callers own the references.
// Failure: Add returns false; Find returns kUnknown.
#pragma once

#include <jni.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace iprof::vm {

class HashNames {
 public:
  explicit HashNames(size_t most_bytes) : most_bytes_(most_bytes) {}
  HashNames(const HashNames&) = delete;
  HashNames& operator=(const HashNames&) = delete;

  // Adds a class that may be unloaded. The name is nullopt if an image has no such class. Returns
  // false if the limit is reached; the reference then still belongs to the caller.
  bool Add(int32_t hash, const std::optional<std::string>& name, jweak reference);

  enum class Kind : uint8_t {
    kNamed,
    kNameless,  // one class or several, none of which an image has
    kSeveral,   // classes with several names
    kUnknown,
  };
  struct Answer {
    Kind kind;
    std::string_view name;  // valid until the next Sweep
  };
  // Finds only what was added before the last Absorb.
  Answer Find(int32_t hash) const;
  void Absorb();
  // While this is the same number, a name that Find has given stands.
  uint64_t changes() const { return changes_; }

  struct Entry {
    int32_t hash;
    uint32_t name;
    jweak reference;  // null: the class is gone
  };
  // Returns only what was added before the last Absorb.
  std::span<const Entry> WithHash(int32_t hash) const;

  // Forgets classes that were gone at the last Sweep, and asks for all others whether they are gone
  // now. If `gone` returns true, it has deleted the reference.
  void Sweep(const std::function<bool(jweak)>& gone);

  struct Statistics {
    size_t classes = 0;  // that may be unloaded
    size_t names = 0;
    size_t bytes = 0;
    uint64_t refused = 0;
  };
  Statistics statistics() const;

 private:
  static constexpr uint32_t kNoName = UINT32_MAX;

  struct Name {
    std::string text;
    uint32_t uses = 0;
  };

  size_t BytesLocked() const;
  bool FullLocked() const { return BytesLocked() > most_bytes_; }
  uint32_t UseNameLocked(const std::string& text);
  void DropNameLocked(uint32_t name);

  const size_t most_bytes_;
  mutable std::mutex mutex_;  // guards the members below, except known_
  std::vector<Entry> fresh_;
  std::deque<Name> names_;
  std::vector<uint32_t> free_names_;
  std::unordered_map<std::string_view, uint32_t> numbers_;  // into names_
  size_t text_bytes_ = 0;
  size_t known_classes_ = 0;
  uint64_t refused_ = 0;
  // Sorted by hash; used only by the thread that sweeps.
  std::vector<Entry> known_;
  uint64_t changes_ = 0;  // used only by that thread
};

}  // namespace iprof::vm
