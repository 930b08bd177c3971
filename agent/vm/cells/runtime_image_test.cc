// Parses the classes that the agent defines.
#include "agent/vm/cells/runtime_image.h"
#include "writer/names/own_classes.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "agent/classfile/class_file.h"

namespace iprof::vm {
namespace {

using classfile::ClassFile;
using classfile::CpIndex;
using classfile::Reason;
using classfile::Tag;

// How many int constants with this value a class has (as bytes: the tag, then the value).
int64_t IntConstants(const std::vector<uint8_t>& bytes, uint32_t value) {
  const uint8_t wanted[] = {static_cast<uint8_t>(Tag::kInteger), static_cast<uint8_t>(value >> 24),
                            static_cast<uint8_t>(value >> 16), static_cast<uint8_t>(value >> 8),
                            static_cast<uint8_t>(value)};
  int64_t count = 0;
  for (auto at = bytes.begin();; ++at, ++count) {
    at = std::search(at, bytes.end(), std::begin(wanted), std::end(wanted));
    if (at == bytes.end()) return count;
  }
}

bool Names(const ClassFile& file, std::string_view class_name) {
  for (uint32_t i = 1; i < file.pool().count(); ++i) {
    if (file.pool().ClassName(CpIndex{static_cast<uint16_t>(i)}) == class_name) return true;
  }
  return false;
}

TEST_CASE("chunks bear their number, in the class's name and wherever it names itself") {
  for (const uint32_t stripes : {1u, 4u}) {
    const std::string first = CounterHolderName(0, stripes);
    for (const uint32_t chunk : {0u, 1u, 9u, 10u, 12'345u}) {
      const std::string name = CounterHolderName(chunk, stripes);
      INFO(name);
      CHECK(IsOwnClass(InternalName(name)));
      CHECK(name.ends_with(std::to_string(chunk)));
      const std::vector<uint8_t> bytes = CounterHolderBytes(chunk, stripes);
      classfile::Arena arena;
      ClassFile file;
      REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
      CHECK(file.name() == name);
      CHECK(file.super_name() == "java/lang/Object");
      CHECK(Names(file, kRuntimeClassName));
      CHECK(Names(file, first) == (chunk == 0));
    }
  }
}

TEST_CASE("what probes refer to is there") {
  const auto member = [](const std::vector<uint8_t>& bytes, std::string_view wanted) {
    classfile::Arena arena;
    ClassFile file;
    REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
    for (const auto members : {file.fields(), file.methods()}) {
      for (const classfile::MemberInfo& m : members) {
        const std::string text = std::string(file.NameOf(m)) + std::string(file.DescriptorOf(m));
        if (text == wanted)
          return (m.access & (classfile::kAccPublic | classfile::kAccStatic)) ==
                 (classfile::kAccPublic | classfile::kAccStatic);
      }
    }
    return false;
  };
  CHECK(member(CounterHolderBytes(3, 1), "c[J"));
  CHECK(member(CounterHolderBytes(3, 8), "hit(I)V"));
  const std::string name = LoaderHolderName("a", "Counters", 3, 0);
  CHECK(member(LoaderCountersBytes(name, 1), "c[J"));
  CHECK(member(LoaderCountersBytes(name, 8), "hit(I)V"));
  CHECK(member(SiteHolderBytes(3), "hit(Ljava/lang/Object;I)V"));
  CHECK(member(LoaderSitesBytes(name), "hit(Ljava/lang/Object;I)V"));
  for (const uint32_t stripes : {1u, 8u}) {
    for (const char* compact : {"hit(I)V", "hitKey(IIII)V"}) {
      CHECK(member(CounterHolderBytes(3, stripes), compact));
      CHECK(member(LoaderCountersBytes(name, stripes), compact));
    }
  }
}

TEST_CASE("the number of stripes stands where the marker stood") {
  for (const uint32_t stripes : {2u, 64u}) {
    const std::vector<uint8_t> bytes = CounterHolderBytes(1, stripes);
    CHECK(IntConstants(bytes, stripes) == 1);
    CHECK(IntConstants(bytes, 0x51515151) == 0);
  }
}

TEST_CASE("holders of sites bear their number, and that of their first site") {
  for (const uint32_t chunk : {0u, 1u, 77u}) {
    const std::vector<uint8_t> bytes = SiteHolderBytes(chunk);
    classfile::Arena arena;
    ClassFile file;
    REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
    CHECK(file.name() == SiteHolderName(chunk));
    CHECK(IsOwnClass(InternalName(file.name())));
    CHECK(IntConstants(bytes, 0x52525252) == 0);
    if (chunk > 0) CHECK(IntConstants(bytes, chunk * kChunkSites) == 1);
  }
}

// The loaders in which they are defined may find nothing else.
TEST_CASE(
    "holders inside the program's class loaders name no class but themselves, Object and arrays of "
    "numbers") {
  const std::string name = LoaderHolderName("a/b", "Counters", 7, 12);
  CHECK(name == "a/b/iprof$Counters7_12");
  CHECK(LoaderHolderName("", "Sites", 0, 1) == "iprof$Sites0_1");
  for (const auto& bytes :
       {LoaderCountersBytes(name, 1), LoaderCountersBytes(name, 4), LoaderSitesBytes(name)}) {
    classfile::Arena arena;
    ClassFile file;
    REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
    CHECK(file.name() == name);
    for (uint32_t i = 1; i < file.pool().count(); ++i) {
      const CpIndex index{static_cast<uint16_t>(i)};
      if (file.pool().tag(index) != Tag::kClass) continue;
      const std::string named(file.pool().ClassName(index));
      INFO(named);
      // No loader is asked for an array of a primitive type.
      CHECK((named == name || named == "java/lang/Object" || named == "[J"));
    }
  }
}

TEST_CASE("the agent's own classes are known by name") {
  for (const char* name :
       {"java/lang/IprofTypes", "iprof/agent/iprof$Sites0_1", "iprof$Counters1_2"})
    CHECK(IsOwnClass(InternalName(name)));
  for (const char* name : {"java/lang/Object", "a/Iprof", "iprof/agent/Main", "a/iprof", ""})
    CHECK_FALSE(IsOwnClass(InternalName(name)));
}

TEST_CASE("the runtime class is what its name says") {
  classfile::Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(RuntimeClassBytes(), arena) == Reason::kOk);
  CHECK(file.name() == kRuntimeClassName);
}

TEST_CASE("the number of slots in the spill table stands where the marker stood") {
  for (const uint32_t slots : {1u << 10, 1u << 16}) {
    const std::vector<uint8_t> bytes = TypesClassBytes(slots);
    classfile::Arena arena;
    ClassFile file;
    REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
    CHECK(file.name() == kTypesClassName);
    CHECK(IntConstants(bytes, slots) == 1);
    CHECK(IntConstants(bytes, 0x53535353) == 0);
  }
}

}  // namespace
}  // namespace iprof::vm
