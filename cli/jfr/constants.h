// Constants: the pools of a chunk: stacks, methods, classes, symbols, threads, kinds of frames and strings, by key. Events name
// their constants by keys.
//
// Example: the key 41 of a stack leads to two frames with the keys 7 and 9 of methods; method 7 to the class 3 and to the symbols
// "run" and "()V"; class 3 to the symbol "a/B".
//
// Guarantees: keeps the bytes of these pools alone, and decodes a constant when it is asked for: at most the chunk's size, and
// some 80 bytes a constant. Of two constants with one key, the later one counts. Keys that lead nowhere are an answer.
// Threads: one at a time. Failure: AddCheckpoint is kBadInput for what does not follow the layouts; what came before stays.
// Throws nothing but std::bad_alloc.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "cli/jfr/field_reader.h"
#include "cli/jfr/layouts.h"
#include "writer/base/status.h"

namespace iprof::jfr {

// A method as the recording names it, in the JVM's modified UTF-8.
struct MethodFacts {
  std::string type;  // "a/B", or "a.B$$Lambda/0x00007f…" of a hidden class
  std::string name;
  std::string descriptor;
};

struct StackFrame {
  int64_t method = 0;
  int32_t bci = -1;
  int32_t line = -1;
  bool is_native = false;
};

struct Stack {
  std::vector<StackFrame> frames;  // innermost first
  bool is_truncated = false;
};

class Constants {
 public:
  Constants(const Layouts& layouts, bool compressed);

  // The bytes of such an event behind its size and type.
  Status AddCheckpoint(FieldReader reader);
  // How far before this one the checkpoint before it begins; 0: there is none.
  static uint64_t DistanceBack(FieldReader reader);

  // The innermost `most` frames; nullopt if there is no such stack.
  std::optional<Stack> FindStack(int64_t key, size_t most);
  std::optional<MethodFacts> FindMethod(int64_t key);
  // "a/B", "[B"; empty: not known.
  std::string ClassName(int64_t key);
  // In Java, or else that of the system.
  std::string ThreadName(int64_t key);
  // Of a field of an event that is a text.
  std::string TextOf(const FieldValue& value);

 private:
  enum PoolId : uint8_t { kStacks, kMethods, kClasses, kSymbols, kThreads, kFrameTypes, kStrings };
  static constexpr size_t kPools = 7;
  struct Place {
    uint64_t at;
    uint32_t size;
  };
  struct Pool {
    const Layout* layout = nullptr;  // null: the chunk has no such pool
    Layouts::Slots slots;
    std::unordered_map<int64_t, Place> places;
  };

  Status AddPool(FieldReader& reader);
  std::optional<FieldReader> Find(PoolId pool, int64_t key) const;
  // Fills values_; false if there is no such constant.
  bool Load(PoolId pool, int64_t key);
  std::string Symbol(int64_t key);
  bool IsNative(int64_t frame_type);

  const Layouts& layouts_;
  const bool compressed_;
  std::array<Pool, kPools> pools_;
  const Layout* frame_layout_ = nullptr;
  Layouts::Slots frame_slots_;
  std::vector<uint8_t> bytes_;
  std::array<FieldValue, 4> values_;
  std::unordered_map<int64_t, bool> native_types_;
};

}  // namespace iprof::jfr
