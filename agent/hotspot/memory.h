// Memory: reads the memory of a JVM: this process, another process (process_memory.h), or later a core file.
//
// Guarantees: Read copies all bytes or answers false; it never writes. Text answers nothing where there is no end within the
// limit. Implementations say whether a bad address fails the read or faults. Any thread; no locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

namespace iprof::hotspot {

// An address in the JVM that is read, which need not be this process.
using Address = uint64_t;

class Memory {
 public:
  virtual ~Memory() = default;

  virtual bool Read(Address from, void* into, size_t size) const = 0;

  template <typename T>
  std::optional<T> Load(Address from) const {
    T value;
    if (!Read(from, &value, sizeof value)) return std::nullopt;
    return value;
  }

  // A text that ends with a zero byte. Nothing where that takes more than `most` characters.
  virtual std::optional<std::string> Text(Address from, size_t most = 4096) const {
    std::string text;
    for (char c = 0; text.size() <= most; text += c) {
      if (!Read(from + text.size(), &c, 1)) return std::nullopt;
      if (c == 0) return text;
    }
    return std::nullopt;
  }
};

// This process, for addresses that are known to be good: a bad one faults. Address 0 fails the read.
class OwnMemory final : public Memory {
 public:
  bool Read(Address from, void* into, size_t size) const override {
    if (from == 0) return false;
    std::memcpy(into, reinterpret_cast<const void*>(static_cast<uintptr_t>(from)), size);
    return true;
  }
};

}  // namespace iprof::hotspot
