#include "cli/terminal/json_text.h"

#include <rapidjson/prettywriter.h>

#include <string>

#include "cli/terminal/terminal_text.h"
#include "writer/profile/io/json_builder.h"

namespace iprof::cli {
namespace {

constexpr unsigned kIndentation = 2;

// RapidJSON's output stream. The writer flushes it when the outermost value is closed.
class ConsoleStream {
 public:
  using Ch = char;
  explicit ConsoleStream(Console& console) : console_(console) {}

  void Put(char c) {
    // DEL occurs only in strings. JSON allows it there, but a terminal may interpret it.
    console_.Write(c == '\x7f' ? std::string_view("\\u007f") : std::string_view(&c, 1));
  }
  void Flush() { console_.Write("\n"); }

 private:
  Console& console_;
};

rapidjson::SizeType SizeOf(std::string_view text) {
  return static_cast<rapidjson::SizeType>(text.size());
}

}  // namespace

class JsonText::Output {
 public:
  explicit Output(Console& console) : stream_(console), writer_(stream_) {
    writer_.SetIndent(' ', kIndentation);
  }
  rapidjson::PrettyWriter<ConsoleStream>& writer() { return writer_; }

 private:
  ConsoleStream stream_;
  rapidjson::PrettyWriter<ConsoleStream> writer_;
};

JsonText::JsonText(Console& console) : output_(std::make_unique<Output>(console)) {}
JsonText::~JsonText() = default;

void JsonText::StartObject() { output_->writer().StartObject(); }
void JsonText::EndObject() { output_->writer().EndObject(); }
void JsonText::StartArray() { output_->writer().StartArray(); }
void JsonText::EndArray() { output_->writer().EndArray(); }

void JsonText::Key(std::string_view key) {
  const std::string valid = ToValidUtf8(key);
  output_->writer().Key(valid.data(), SizeOf(valid));
}

void JsonText::String(std::string_view text) {
  const std::string valid = ToValidUtf8(text);
  output_->writer().String(valid.data(), SizeOf(valid));
}

void JsonText::Int(int64_t value) { output_->writer().Int64(value); }

void JsonText::Share(double value) {
  const std::string digits = ShareText(value);
  output_->writer().RawValue(digits.data(), digits.size(), rapidjson::kNumberType);
}

void JsonText::Bool(bool value) { output_->writer().Bool(value); }
void JsonText::Null() { output_->writer().Null(); }

}  // namespace iprof::cli
