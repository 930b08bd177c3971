#include "agent/hotspot/core/archive_identity.h"

#include <catch2/catch.hpp>

#include "agent/hotspot/core/fake_core.h"

namespace iprof::hotspot {
namespace {

constexpr char kBuild[] = "OpenJDK 64-Bit Server VM (25.0.3+9-LTS) for linux-amd64";

BytesMemory Archive(const ArchiveHead& head, const std::string& build, size_t size = 8192) {
  std::vector<uint8_t> bytes(size);
  if (size >= sizeof head) std::memcpy(bytes.data(), &head, sizeof head);
  if (size >= 0x240 + build.size()) std::copy(build.begin(), build.end(), bytes.begin() + 0x240);
  return BytesMemory(std::move(bytes));
}

TEST_CASE("an archive belongs to the JVM whose build and header it has") {
  const ArchiveHead head{0xf00baba2, 0x1234, 19};
  const ArchiveOwner owner{kBuild, head};
  CHECK(DifferenceOfArchive(Archive(head, kBuild), owner).empty());
  CHECK(DifferenceOfArchive(Archive(head, kBuild), {kBuild, std::nullopt}).empty());
  CHECK(DifferenceOfArchive(Archive(head, "OpenJDK 64-Bit Server VM (25.0.2+10)"), owner) ==
        "was made by another build of the JDK");
  // made again by the same build, with -Xshare:dump
  CHECK(DifferenceOfArchive(Archive({0xf00baba2, 0x1235, 19}, kBuild), owner) ==
        "is another archive than the one that was mapped");
}

TEST_CASE("a dynamic archive is compared by its build") {
  const ArchiveOwner owner{kBuild, ArchiveHead{0xf00baba2, 0x1234, 19}};
  CHECK(DifferenceOfArchive(Archive({0xf00baba8, 7, 19}, kBuild), owner).empty());
  CHECK_FALSE(DifferenceOfArchive(Archive({0xf00baba8, 7, 19}, "other"), owner).empty());
}

TEST_CASE("what cannot be compared is not taken for the archive") {
  const ArchiveHead head{0xf00baba2, 0x1234, 19};
  CHECK_FALSE(DifferenceOfArchive(Archive(head, kBuild), {"", head}).empty());
  CHECK_FALSE(DifferenceOfArchive(Archive(head, kBuild, 4095), {kBuild, head}).empty());
  CHECK_FALSE(DifferenceOfArchive(Archive(head, kBuild, 12), {kBuild, head}).empty());
}

TEST_CASE("a build whose text is longer than the header holds is compared as far as it is there") {
  const ArchiveHead head{0xf00baba2, 0x1234, 19};
  const std::string text(300, 'x');
  CHECK(DifferenceOfArchive(Archive(head, text.substr(0, 247) + "0a1b2c3d"), {text, head}).empty());
}

TEST_CASE("other files are not compared") {
  CHECK_FALSE(IsArchive(BytesMemory(std::vector<uint8_t>(3))));
  CHECK(DifferenceOfArchive(BytesMemory(std::vector<uint8_t>(8192, 'm')), {}).empty());
}

}  // namespace
}  // namespace iprof::hotspot
