#include "writer/profile/io/json_builder.h"

#include <fmt/core.h>

#include "writer/profile/io/writer.h"

namespace iprof {

std::string ShareText(double value) {
  std::string digits = fmt::format("{:.6f}", value);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  return digits == "-0" ? "0" : digits;
}

void JsonBuilder::Separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

void JsonBuilder::Append(std::string_view text) {
  size_t at = text_.size();
  AppendJsonString(text, &text_);
  if (use_ != For::kPage) return;
  while ((at = text_.find('<', at)) != std::string::npos) text_.replace(at, 1, "\\u003c");
}

JsonBuilder& JsonBuilder::Open(char bracket) {
  Separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

JsonBuilder& JsonBuilder::Close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

JsonBuilder& JsonBuilder::Key(std::string_view key) {
  Separate();
  Append(key);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

JsonBuilder& JsonBuilder::String(std::string_view text) {
  Separate();
  Append(text);
  return *this;
}

JsonBuilder& JsonBuilder::Int(int64_t value) {
  Separate();
  fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

JsonBuilder& JsonBuilder::Share(double value) { return Raw(ShareText(value)); }

JsonBuilder& JsonBuilder::Bool(bool value) { return Raw(value ? "true" : "false"); }

JsonBuilder& JsonBuilder::Raw(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

}  // namespace iprof
