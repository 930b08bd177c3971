#include "cli/json_text.h"

#include "cli/terminal_text.h"

namespace iprof::cli {

void JsonText::NewLine() { console_.Print("\n{:{}}", "", has_members_.size() * 2); }

void JsonText::BeforeValue() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (has_members_.empty()) return;
  if (has_members_.back()) console_.Write(",");
  has_members_.back() = true;
  NewLine();
}

void JsonText::Open(char bracket) {
  BeforeValue();
  console_.Print("{}", bracket);
  has_members_.push_back(false);
}

void JsonText::Close(char bracket) {
  const bool had_members = has_members_.back();
  has_members_.pop_back();
  if (had_members) NewLine();
  console_.Print("{}", bracket);
  if (has_members_.empty()) console_.Write("\n");
}

void JsonText::Quote(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : ToValidUtf8(text)) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20 || byte == 0x7F) {
      quoted += fmt::format("\\u{:04x}", byte);
    } else {
      quoted += c;
    }
  }
  console_.Write(quoted + "\"");
}

void JsonText::Key(std::string_view key) {
  BeforeValue();
  Quote(key);
  console_.Write(": ");
  after_key_ = true;
}

void JsonText::String(std::string_view text) {
  BeforeValue();
  Quote(text);
}

void JsonText::Int(int64_t value) {
  BeforeValue();
  console_.Print("{}", value);
}

void JsonText::Share(double value) {
  BeforeValue();
  std::string digits = fmt::format("{:.6f}", value);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  if (digits == "-0") digits = "0";
  console_.Write(digits);
}

void JsonText::Bool(bool value) {
  BeforeValue();
  console_.Write(value ? "true" : "false");
}

void JsonText::Null() {
  BeforeValue();
  console_.Write("null");
}

}  // namespace iprof::cli
