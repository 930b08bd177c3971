#include "agent/harvest/harvested_code.h"

#include <catch2/catch.hpp>
#include <string_view>
#include <vector>

#include "agent/harvest/fake_hotspot.h"
#include "writer/base/code_length.h"
#include "writer/base/murmur3.h"

namespace iprof::hotspot {
namespace {

using classfile::Op;

// 0: aload_0; 1: invokevirtual a/A.run; 4: return; as often as asked for
std::vector<uint8_t> CallsOfRun(int times) {
  std::vector<uint8_t> code;
  for (int i = 0; i < times; ++i) code.insert(code.end(), {42, 182, 0, 6});
  code.push_back(177);
  return code;
}

OriginalCode Code(const std::vector<uint8_t>& bytes) {
  const auto instructions = SplitCode(bytes);
  REQUIRE(instructions);
  return {bytes, *instructions};
}

// The fake program's constant pool, and a hasher for it.
struct Reading {
  FakeProgram fake;
  BlockCache memory{fake.vm};
  TextStore texts;
  Metadata metadata{memory, fake.vm.layout(), texts};
  Pool pool = metadata.ReadPool(fake.pool).value();
  HarvestedCodeHasher hasher{metadata};
};

// As a class file's reader computes it.
uint64_t HashOf(const std::vector<uint8_t>& bytes, std::string_view own_name) {
  classfile::SymbolicCode symbolic;
  symbolic.Start(bytes, own_name);
  for (uint32_t bci = 1; bci + 1 < bytes.size(); bci += 4) {
    symbolic.Add(
        bci, Op::invokevirtual,
        {.tag = classfile::Tag::kMethodref, .owner = "a/A", .name = "run", .descriptor = "()V"});
  }
  return WithCodeLength(Murmur3(symbolic.bytes()).low, bytes.size());
}

TEST_CASE("hashes are those of the class file, also after other methods were hashed") {
  Reading reading;
  HarvestedCodeHasher& hasher = reading.hasher;
  // The name of the class itself is left out of a hash, so it makes a difference.
  for (const std::string_view own_name : {"a/A", "b/B", "a/A"}) {
    hasher.Start(reading.pool, own_name);
    for (const int times : {1, 3, 1, 0, 2}) {
      const std::vector<uint8_t> bytes = CallsOfRun(times);
      CHECK(hasher.Hash(reading.pool, Code(bytes)) == HashOf(bytes, own_name));
    }
  }
  CHECK(HashOf(CallsOfRun(1), "a/A") != HashOf(CallsOfRun(1), "b/B"));
}

TEST_CASE("code that names an unknown constant has no hash, and the next method's is right") {
  Reading reading;
  HarvestedCodeHasher& hasher = reading.hasher;
  hasher.Start(reading.pool, "a/A");
  for (const uint8_t index : {uint8_t{0}, uint8_t{5}, uint8_t{7}, uint8_t{255}})
    CHECK(hasher.Hash(reading.pool, Code({42, 182, 0, index, 177})) == 0);
  CHECK(hasher.Hash(reading.pool, Code(CallsOfRun(1))) == HashOf(CallsOfRun(1), "a/A"));
}

TEST_CASE("constants that take much memory are encoded again") {
  FakeHotSpot vm;
  vm.bytes().resize(64 << 20);
  // Field references to classes with long names, which take 20 MB together.
  constexpr size_t kFields = 400;
  std::vector<FakeHotSpot::Constant> constants = {
      {1, vm.Symbol("f")}, {1, vm.Symbol("I")}, {12, uint64_t{2} << 16 | 1}};
  std::vector<uint8_t> bytes;
  for (size_t f = 0; f < kFields; ++f) {
    const auto at = static_cast<uint64_t>(constants.size() + 1);
    constants.push_back({1, vm.Symbol(std::to_string(f) + std::string(50'000, 'x'))});
    constants.push_back({7, at << 16});
    constants.push_back({9, uint64_t{3} << 16 | (at + 1)});
    bytes.insert(bytes.end(), {178, static_cast<uint8_t>((at + 2) >> 8),
                               static_cast<uint8_t>(at + 2), 87});  // getstatic, pop
  }
  bytes.push_back(177);
  const Address at = vm.Pool(constants, {});
  const BlockCache memory(vm);
  TextStore texts;
  Metadata metadata(memory, vm.layout(), texts);
  const auto pool = metadata.ReadPool(at);
  REQUIRE(pool);
  HarvestedCodeHasher hasher(metadata);
  hasher.Start(*pool, "a/A");
  const uint64_t first = hasher.Hash(*pool, Code(bytes));
  CHECK(first != 0);
  CHECK(hasher.Hash(*pool, Code(bytes)) == first);
  const std::vector<uint8_t> last(bytes.end() - 5, bytes.end());
  const uint64_t alone = hasher.Hash(*pool, Code(last));
  HarvestedCodeHasher other(metadata);
  other.Start(*pool, "a/A");
  CHECK(other.Hash(*pool, Code(last)) == alone);
}

}  // namespace
}  // namespace iprof::hotspot
