#include "cli/views/report/class_listings.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "agent/classfile/test_class.h"

namespace iprof::report {
namespace {

using classfile::ByteVector;
using classfile::TestClass;

// The class T with the method m, as a profile and as a class file.
struct Program {
  TestClass made;
  Profile names;
  int asked = 0;

  MethodIndex Method(const std::vector<std::string>& types = {"T", "void"},
                     const std::string& name = "m") {
    std::vector<TypeIndex> signature;
    for (const std::string& type : types) signature.push_back(names.AddType(type));
    return names.AddMethod(name, signature);
  }
  FindClass Classes() {
    return [this](std::string_view name) -> std::optional<std::vector<uint8_t>> {
      ++asked;
      if (name != "T") return std::nullopt;
      return made.Bytes();
    };
  }
};

std::string Text(const MethodListing& listing) {
  std::string text;
  for (const ListedInstruction& instruction : listing.instructions) {
    text += text.empty() ? "" : " / ";
    text += std::to_string(instruction.bci) + " " + instruction.mnemonic;
    if (!instruction.operand.empty()) text += " " + instruction.operand;
    for (const Bci target : instruction.targets) text += " >" + std::to_string(target);
  }
  return text;
}

ByteVector Lines(const std::vector<std::pair<int, int>>& lines) {
  ByteVector bytes = {0, static_cast<uint8_t>(lines.size())};
  for (const auto& [bci, line] : lines) {
    for (const int number : {bci, line}) {
      bytes.push_back(static_cast<uint8_t>(number >> 8));
      bytes.push_back(static_cast<uint8_t>(number));
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("instructions with operands, targets and callees") {
  Program program;
  program.made.code = {
      0x06,              // 0 iconst_3
      0x9a, 0x00, 0x08,  // 1 ifne → 9
      0x10, 0xfd,        // 4 bipush -3
      0xa7, 0x00, 0x03,  // 6 goto → 9
      0x2a,              // 9 aload_0
      0xb6, 0x00, 0x0a,  // 10 invokevirtual T.call
      0xb2, 0x00, 0x12,  // 13 getstatic T.f
      0x84, 0x02, 0xff,  // 16 iinc 2, -1
      0xbc, 0x0a,        // 19 newarray int
      0xbb, 0x00, 0x04,  // 21 new Object
      0xb1,              // 24 return
  };
  ClassListings listings(program.Classes(), nullptr);
  const auto listing = listings.Find(program.names, program.Method());
  REQUIRE(listing);
  CHECK(Text(*listing) ==
        "0 iconst_3 / 1 ifne >9 / 4 bipush -3 / 6 goto >9 / 9 aload_0 / 10 invokevirtual "
        "T.call(int, long)void / 13 getstatic T.f long / 16 iinc 2, -1 / 19 newarray int / 21 new "
        "java.lang.Object / 24 return");
  CHECK(listing->instructions[1].falls_through);
  CHECK_FALSE(listing->instructions[3].falls_through);
  CHECK(listing->instructions[5].callee == "T.call(int, long)void");
  CHECK(listing->instructions[6].callee.empty());
}

TEST_CASE("a switch has its keys, and its default last") {
  Program program;
  program.made.code = {0x06,                                            // 0 iconst_3
                       0xaa, 0x00, 0x00,                                // 1 tableswitch
                       0x00, 0x00, 0x00, 0x18, 0x00, 0x00, 0x00, 0x05,  // default → 25; from 5
                       0x00, 0x00, 0x00, 0x06,                          // to 6
                       0x00, 0x00, 0x00, 0x17, 0x00, 0x00, 0x00, 0x17,  // → 24, 24
                       0xb1, 0xb1};
  ClassListings listings(program.Classes(), nullptr);
  const auto listing = listings.Find(program.names, program.Method());
  REQUIRE(listing);
  CHECK(Text(*listing) ==
        "0 iconst_3 / 1 tableswitch 5, 6, default >24 >24 >25 / 24 return / 25 return");
}

TEST_CASE("a method is found by its name and all its types") {
  Program program;
  program.made.descriptor = "([ILjava/lang/String;)V";
  program.made.code = {0xb1};
  ClassListings listings(program.Classes(), nullptr);
  CHECK(listings.Find(program.names, program.Method({"T", "void", "[I", "java.lang.String"})));
  CHECK_FALSE(
      listings.Find(program.names, program.Method({"T", "void", "[I", "java.lang.Object"})));
  CHECK_FALSE(listings.Find(program.names, program.Method({"T", "void", "[I"})));
  CHECK_FALSE(listings.Find(program.names, program.Method({"T"})));
  CHECK_FALSE(
      listings.Find(program.names, program.Method({"T", "void", "[I", "java.lang.String"}, "n")));
  CHECK(program.asked == 1);  // a class is read once
  CHECK_FALSE(listings.Find(program.names, program.Method({"U", "void"})));
  CHECK(listings.missing() == 1);
}

TEST_CASE("lines and the source around them") {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("iprof-listing-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "T.java") << "one\r\ntwo\nthree\nfour\nfive\nsix\nseven\n";
  Program program;
  program.made.code = {0x00, 0x00, 0xb1};
  program.made.attributes = {{"LineNumberTable", Lines({{2, 5}, {0, 4}})}};
  SourceTexts sources;
  REQUIRE(sources.Add(folder.string()).ok());
  const auto* text = sources.Find("T", "T.java");
  REQUIRE(text != nullptr);
  CHECK(text->front() == "one");
  ClassListings listings(program.Classes(), &sources);
  const auto listing = listings.Find(program.names, program.Method());
  REQUIRE(listing);
  CHECK(listing->lines == std::vector<std::pair<Bci, int>>{{0, 4}, {2, 5}});
  // The class file does not name its source file, so there is no source.
  CHECK(listing->source.empty());
  std::filesystem::remove_all(folder);
}

TEST_CASE("a damaged class has no listing") {
  Program program;
  program.made.code = {0xb1};
  const ByteVector whole = program.made.Bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    ClassListings listings(
        [&](std::string_view) {
          return std::vector<uint8_t>(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
        },
        nullptr);
    CHECK_FALSE(listings.Find(program.names, program.Method()));
  }
}

}  // namespace iprof::report
