#include "cli/views/export/protobuf_message.h"

#include <catch2/catch.hpp>
#include <limits>

namespace iprof {
namespace {

using namespace std::string_view_literals;

// The expected bytes are those of the examples in protobuf's own description of its encoding.
TEST_CASE("numbers are varints behind their key") {
  ProtobufMessage message;
  message.AddNumber(1, 150);
  CHECK(message.bytes() == "\x08\x96\x01"sv);
  message.Clear();
  message.AddNumber(1, 0);
  CHECK(message.bytes().empty());
  message.AddNumber(16, 1);  // a key of two bytes
  CHECK(message.bytes() == "\x80\x01\x01"sv);
  message.Clear();
  message.AddNumber(1, -2);  // ten bytes, as int64 has it
  CHECK(message.bytes() == "\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"sv);
  message.Clear();
  message.AddNumber(1, std::numeric_limits<int64_t>::max());
  CHECK(message.bytes() == "\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f"sv);
}

TEST_CASE("texts, messages and packed numbers have a length") {
  ProtobufMessage message;
  message.AddText(2, "testing");
  CHECK(message.bytes() == "\x12\x07testing"sv);
  message.Clear();
  message.AddText(2, "");
  CHECK(message.bytes().empty());
  message.AlwaysAddText(2, "");
  CHECK(message.bytes() == "\x12\x00"sv);
  message.Clear();
  ProtobufMessage inner;
  inner.AddNumber(1, 150);
  message.AddMessage(3, inner);
  CHECK(message.bytes() == "\x1a\x03\x08\x96\x01"sv);
  message.Clear();
  message.AddNumbers(6, {});
  CHECK(message.bytes().empty());
  const int64_t numbers[] = {3, 270, 86942};
  message.AddNumbers(6, numbers);
  CHECK(message.bytes() == "\x32\x06\x03\x8e\x02\x9e\xa7\x05"sv);
  message.Clear();
  const int64_t zero[] = {0};
  message.AddNumbers(6, zero);  // an element, not a default
  CHECK(message.bytes() == "\x32\x01\x00"sv);
}

}  // namespace
}  // namespace iprof
