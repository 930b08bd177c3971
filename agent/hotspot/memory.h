// Memory: read access to the memory of a JVM: this process, another one (process_memory.h), or a core
// file (core/core_memory.h).
//
// Guarantees: never writes; takes no locks. Each implementation says whether reading a bad address
// returns false or faults. Reading nothing is allowed, also into a null pointer.
// Threads: any, unless the implementation says otherwise.
// Failure: Read returns false unless it copied all bytes. Text returns nullopt if the text does not
// end within the limit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace iprof::hotspot {

// An address in the JVM that is being read, which may be another process.
using Address = uint64_t;

class Memory {
 public:
  virtual ~Memory() = default;

  virtual bool Read(Address from, void* into, size_t size) const = 0;

  template <typename T>
  std::optional<T> Load(Address from) const {
    T value;
    if (!Fetch(from, &value, sizeof value)) return std::nullopt;
    return value;
  }

  // Reads a zero-terminated string. Returns nullopt if it has more than `most` characters.
  virtual std::optional<std::string> Text(Address from, size_t most = 4096) const {
    std::string text;
    for (char c = 0; text.size() <= most; text += c) {
      if (!Read(from + text.size(), &c, 1)) return std::nullopt;
      if (c == 0) return text;
    }
    return std::nullopt;
  }

  // Whether there is a zero-terminated string that equals `text`. Reads no further than the first
  // difference.
  bool HasText(Address from, std::string_view text) const {
    char c = 0;
    for (size_t i = 0; i < text.size(); ++i) {
      if (!Fetch(from + i, &c, 1) || c != text[i]) return false;
    }
    return Fetch(from + text.size(), &c, 1) && c == 0;
  }

 protected:
  enum class Of { kOther, kThisProcess };
  explicit Memory(Of whose = Of::kOther) : whose_(whose) {}
  Memory(const Memory&) = default;
  Memory& operator=(const Memory&) = default;

  static bool Copy(Address from, void* into, size_t size) {
    if (from == 0) return false;
    if (size > 0)
      std::memcpy(into, reinterpret_cast<const void*>(static_cast<uintptr_t>(from)), size);
    return true;
  }

 private:
  // As Read, but without a virtual call for this process: a search in HotSpot's tables reads
  // thousands of characters while the program waits to start.
  bool Fetch(Address from, void* into, size_t size) const {
    return whose_ == Of::kThisProcess ? Copy(from, into, size) : Read(from, into, size);
  }

  Of whose_;
};

// The memory of this process. A bad address faults, so use only addresses that are known to be
// good; 0 returns false.
class OwnMemory final : public Memory {
 public:
  OwnMemory() : Memory(Of::kThisProcess) {}
  bool Read(Address from, void* into, size_t size) const override { return Copy(from, into, size); }
};

}  // namespace iprof::hotspot
