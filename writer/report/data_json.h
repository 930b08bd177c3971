// DataJson: JSON text that may stand inside a <script type="application/json"> element of a page.
//
// Guarantees: no '<' in the text, so that nothing in a name can end the element or begin a comment: it is written as
// \u003c. Otherwise as AppendJsonString (writer/io/writer.h). Commas are set; the caller opens and closes in pairs.
// Threads: one per object. Failure: none but std::bad_alloc.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace iprof {

class DataJson {
 public:
  DataJson& Open(char bracket);  // '{' or '['
  DataJson& Close(char bracket);
  DataJson& Key(std::string_view key);
  DataJson& String(std::string_view text);
  DataJson& Int(int64_t value);
  // At most six decimals.
  DataJson& Share(double value);
  DataJson& Bool(bool value);
  // Another complete value.
  DataJson& Raw(std::string_view json);

  DataJson& Field(std::string_view key, std::string_view text) { return Key(key).String(text); }
  DataJson& Field(std::string_view key, int64_t value) { return Key(key).Int(value); }
  // Nothing if the text is empty.
  DataJson& FieldIfAny(std::string_view key, std::string_view text) {
    return text.empty() ? *this : Field(key, text);
  }

  size_t size() const { return text_.size(); }
  const std::string& text() const { return text_; }
  std::string Take() { return std::move(text_); }

 private:
  void Separate();

  std::string text_;
  bool needs_comma_ = false;
};

}  // namespace iprof
