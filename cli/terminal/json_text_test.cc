#include "cli/terminal/json_text.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <string>

namespace iprof::cli {
namespace {

std::string Printed(const std::function<void(JsonText&)>& print) {
  std::FILE* const file = std::tmpfile();
  {
    Console console(fileno(file), fileno(file));
    JsonText json(console);
    print(json);
    console.Flush();
  }
  std::rewind(file);
  std::string text(4096, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

TEST_CASE("objects, arrays and values, indented by two spaces") {
  CHECK(Printed([](JsonText& json) {
          json.StartObject();
          json.Field("text", "a");
          json.Field("number", int64_t{-9223372036854775807});
          json.Field("yes", true);
          json.Key("nothing");
          json.Null();
          json.Key("empty");
          json.StartArray();
          json.EndArray();
          json.Key("list");
          json.StartArray();
          json.Int(1);
          json.StartObject();
          json.EndObject();
          json.EndArray();
          json.EndObject();
        }) == R"({
  "text": "a",
  "number": -9223372036854775807,
  "yes": true,
  "nothing": null,
  "empty": [],
  "list": [
    1,
    {}
  ]
}
)");
}

TEST_CASE("shares have at most six decimals and no zeros at the end") {
  CHECK(Printed([](JsonText& json) {
          json.StartArray();
          for (const double share : {0.0, 1.0, 0.5, 2.0 / 3, 1e-9, -1e-9, 0.1 + 0.2}) {
            json.Share(share);
          }
          json.EndArray();
        }) == "[\n  0,\n  1,\n  0.5,\n  0.666667,\n  0,\n  0,\n  0.3\n]\n");
}

TEST_CASE("text is well-formed UTF-8 without control characters, in keys as well") {
  CHECK(Printed([](JsonText& json) {
          json.StartObject();
          json.Field("a\"\\\n\x01\x1b\x7f", "caf\u00e9 \U0001F600 \xff\xed\xa0\x80");
          json.EndObject();
        }) ==
        "{\n  \"a\\\"\\\\\\n\\u0001\\u001B\\u007f\": \"caf\u00e9 \U0001F600 "
        "\ufffd\ufffd\ufffd\ufffd\"\n}\n");
}

}  // namespace
}  // namespace iprof::cli
