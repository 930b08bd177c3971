// JsonBuilder: JSON as a text, value by value. Commas are set; the caller opens and closes in pairs.
//
// Example: `json.Open('{').Field("samples", 12).Key("of").Open('[').String("a").Close(']').Close('}')`
// is {"samples":12,"of":["a"]}.
//
// Guarantees: texts are written by AppendJsonString (writer/profile/io/writer.h). For a page, no '<' is in a
// text, so that it can stand inside a <script> element: nothing in a name ends the element or begins
// a comment.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iprof {

class JsonBuilder {
 public:
  enum class For { kFile, kPage };  // kPage: '<' becomes \u003c
  explicit JsonBuilder(For use = For::kFile) : use_(use) {}

  JsonBuilder& Open(char bracket);  // '{' or '['
  JsonBuilder& Close(char bracket);
  JsonBuilder& Key(std::string_view key);
  JsonBuilder& String(std::string_view text);
  JsonBuilder& Int(int64_t value);
  JsonBuilder& Share(double value);
  JsonBuilder& Bool(bool value);
  // Another complete value.
  JsonBuilder& Raw(std::string_view json);

  JsonBuilder& Field(std::string_view key, std::string_view text) { return Key(key).String(text); }
  JsonBuilder& Field(std::string_view key, int64_t value) { return Key(key).Int(value); }
  // Nothing if the text is empty.
  JsonBuilder& FieldIfAny(std::string_view key, std::string_view text) {
    return text.empty() ? *this : Field(key, text);
  }

  size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  void Separate();
  void Append(std::string_view text);

  For use_;
  std::string text_;
  bool needs_comma_ = false;
};

// With at most six decimals, so that it is the same on every machine: "0.25".
std::string ShareText(double value);

}  // namespace iprof
