#include "writer/report/data_json.h"

#include <fmt/format.h>

#include "writer/io/writer.h"

namespace iprof {
namespace {

void AppendEscaped(std::string_view text, std::string* out) {
  const size_t begin = out->size();
  AppendJsonString(text, out);
  size_t at = begin;
  while ((at = out->find('<', at)) != std::string::npos) out->replace(at, 1, "\\u003c");
}

}  // namespace

void DataJson::Separate() {
  if (needs_comma_) text_ += ',';
  needs_comma_ = true;
}

DataJson& DataJson::Open(char bracket) {
  Separate();
  text_ += bracket;
  needs_comma_ = false;
  return *this;
}

DataJson& DataJson::Close(char bracket) {
  text_ += bracket;
  needs_comma_ = true;
  return *this;
}

DataJson& DataJson::Key(std::string_view key) {
  Separate();
  AppendEscaped(key, &text_);
  text_ += ':';
  needs_comma_ = false;
  return *this;
}

DataJson& DataJson::String(std::string_view text) {
  Separate();
  AppendEscaped(text, &text_);
  return *this;
}

DataJson& DataJson::Int(int64_t value) {
  Separate();
  fmt::format_to(std::back_inserter(text_), "{}", value);
  return *this;
}

DataJson& DataJson::Share(double value) {
  std::string digits = fmt::format("{:.6f}", value);
  while (digits.ends_with('0')) digits.pop_back();
  if (digits.ends_with('.')) digits.pop_back();
  return Raw(digits == "-0" ? "0" : digits);
}

DataJson& DataJson::Bool(bool value) { return Raw(value ? "true" : "false"); }

DataJson& DataJson::Raw(std::string_view json) {
  Separate();
  text_ += json;
  return *this;
}

}  // namespace iprof
