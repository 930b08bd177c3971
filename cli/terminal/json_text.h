// JsonText: a command's JSON output, streamed to the console, indented by two spaces, keys in the
// order written. It wraps RapidJSON's writer, with the members that our commands need.
//
// Guarantees: always well-formed UTF-8 (malformed bytes of names become U+FFFD). Control characters
// are escaped. Shares have at most six decimals, so that output is the same on every machine. The
// output ends with a line feed when the outermost object is closed.
// Threads: one. Failure: as Console, which remembers a failed write.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "cli/terminal/console.h"

namespace iprof::cli {

class JsonText {
 public:
  explicit JsonText(Console& console);
  ~JsonText();
  JsonText(const JsonText&) = delete;
  JsonText& operator=(const JsonText&) = delete;

  void StartObject();
  void EndObject();
  void StartArray();
  void EndArray();
  void Key(std::string_view key);
  void String(std::string_view text);
  void Int(int64_t value);
  void Share(double value);
  void Bool(bool value);
  void Null();

  void Field(std::string_view key, std::string_view text) {
    Key(key);
    String(text);
  }
  void Field(std::string_view key, const char* text) { Field(key, std::string_view(text)); }
  void Field(std::string_view key, int64_t value) {
    Key(key);
    Int(value);
  }
  void Field(std::string_view key, size_t value) { Field(key, static_cast<int64_t>(value)); }
  void Field(std::string_view key, bool value) {
    Key(key);
    Bool(value);
  }
  void ShareField(std::string_view key, double value) {
    Key(key);
    Share(value);
  }
  // "key": ["a", "b"]
  template <typename List>
  void Texts(std::string_view key, const List& texts) {
    Key(key);
    StartArray();
    for (const std::string_view text : texts) String(text);
    EndArray();
  }
  // "key": {…}, whose members write() writes.
  template <typename Write>
  void Object(std::string_view key, const Write& write) {
    Key(key);
    StartObject();
    write();
    EndObject();
  }
  // "key": [{…}, {…}]: write(element) writes the members of one.
  template <typename List, typename Write>
  void Objects(std::string_view key, const List& list, const Write& write) {
    Key(key);
    StartArray();
    for (const auto& element : list) {
      StartObject();
      write(element);
      EndObject();
    }
    EndArray();
  }

 private:
  class Output;  // keeps RapidJSON's headers in one file
  std::unique_ptr<Output> output_;
};

}  // namespace iprof::cli
