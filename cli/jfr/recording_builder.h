// RecordingBuilder: one chunk of a recording, made by hand for tests and as the seeds of the fuzz target. It has the types that
// we read, as JDK 25 has them, and writes nothing that was not asked for.
//
// Example:
//   RecordingBuilder chunk;
//   const int64_t run = chunk.Method("a/B", "run", "()V");
//   const int64_t stack = chunk.Stack({{run, 4, 21}});
//   chunk.Event("jdk.ExecutionSample", {700, chunk.Thread("main"), stack});
//   RecordingFile file(chunk.Finish());
//
// Guarantees: a value for each field of the event's type, in its order; integers for numbers and keys. Times are ticks of 1 µs.
// Threads: one. Failure: none but std::bad_alloc; a type that it does not know is a logic error.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace iprof::jfr {

class RecordingBuilder {
 public:
  struct Options {
    bool compressed = true;
    bool finished = true;
  };
  using Value = std::variant<int64_t, std::string>;
  struct FrameFacts {
    int64_t method;
    int64_t bci;
    int64_t line;
    std::string kind = "JIT compiled";
  };

  RecordingBuilder() : RecordingBuilder(Options()) {}
  explicit RecordingBuilder(Options options);

  // Constants; each returns its key, the same for the same constant.
  int64_t Class(const std::string& name);
  int64_t Method(const std::string& type, const std::string& name, const std::string& descriptor);
  int64_t Thread(const std::string& name);
  int64_t Stack(const std::vector<FrameFacts>& frames, bool truncated = false);
  // The id of a type of events, for jdk.ActiveSetting.
  static int64_t TypeId(std::string_view event);

  void Event(std::string_view type, const std::vector<Value>& values);
  // Bytes that are no event.
  void Raw(const std::vector<uint8_t>& bytes);
  // Where the next event begins in the chunk.
  uint64_t next() const;
  // Writes the constants so far, as a JVM does from time to time.
  void Checkpoint();

  // The whole chunk. The builder is used up.
  std::vector<uint8_t> Finish();

 private:
  using Bytes = std::vector<uint8_t>;
  void Integer(Bytes& into, uint64_t value, size_t size) const;
  void Text(Bytes& into, std::string_view text) const;
  int64_t Constant(std::string_view type, const Bytes& value);
  int64_t Symbol(const std::string& text);
  uint64_t Append(int64_t type, const Bytes& fields);
  void Metadata();

  const Options options_;
  Bytes events_;
  uint64_t last_checkpoint_ = 0;
  uint64_t metadata_ = 0;
  std::map<std::string, std::map<Bytes, int64_t>, std::less<>> constants_;  // by type
  std::map<std::string, std::vector<std::pair<int64_t, Bytes>>, std::less<>> unwritten_;
  int64_t next_key_ = 1;
};

}  // namespace iprof::jfr
