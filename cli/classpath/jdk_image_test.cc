#include "cli/classpath/jdk_image.h"

#include <catch2/catch.hpp>

#include "cli/classpath/archive_builder.h"
#include "cli/classpath/image_builder.h"

using namespace iprof;
using namespace iprof::classpath;

namespace {

constexpr uint64_t kMost = 1 << 20;

std::vector<TestResource> Resources() {
  const std::vector<std::string> texts{"java/lang/Object",
                                       "(Ljava/lang/String;ILTop;[[Ljava/util/Map;)V", "()V",
                                       std::string(40'000, 'x')};
  std::vector<TestResource> resources{
      {"java.base", "java/lang/Object.class", ToBytes("the class Object")},
      {"java.base", "module-info.class", ToBytes("a module")},
      {"java.sql", "java/sql/Driver.class", ToBytes(std::string(3000, 'd')), Packing::kZip},
      {"java.base", "java/util/Map$Entry.class", ClassOfTexts(texts), Packing::kSharedConstants},
      {"jdk.two", "java/sql/Other.class", ToBytes("a package of two modules")},
      {"java.base", "java/lang/Empty.class", {}},
  };
  for (int i = 0; i < 100; ++i) {
    resources.push_back({"java.base", "many/C" + std::to_string(i) + ".class",
                         ToBytes("class " + std::to_string(i))});
  }
  return resources;
}

ByteFile FileOf(Bytes bytes) { return ByteFile::Of(std::move(bytes), "modules"); }

std::string FindText(const JdkImage& image, std::string_view name) {
  const auto found = image.FindClass(name, kMost);
  if (!found.ok()) return found.status().message();
  return *found ? ToText(**found) : "(none)";
}

}  // namespace

TEST_CASE("Classes of an image are found by name in any module and compression") {
  const std::vector<TestResource> resources = Resources();
  const auto image = JdkImage::Open(FileOf(MakeImage(resources)));
  INFO((image.ok() ? "" : image.status().message()));
  REQUIRE(image.ok());
  for (const TestResource& resource : resources) {
    const std::string name = resource.path.substr(0, resource.path.size() - 6);
    const bool has_package = name.find('/') != std::string::npos;
    CHECK(FindText(*image, name) == (has_package ? ToText(resource.bytes) : "(none)"));
    const auto found = image->FindResource("/" + resource.module + "/" + resource.path, kMost);
    REQUIRE(found.ok());
    REQUIRE(found->has_value());
    CHECK(**found == resource.bytes);
  }
}

TEST_CASE("A class that an image does not have is not found") {
  const auto image = JdkImage::Open(FileOf(MakeImage(Resources())));
  REQUIRE(image.ok());
  for (const char* const name : {"java/lang/Objec", "java/lang/Object2", "java/lang", "Object",
                                 "java/nowhere/X", "", "/", "java/sql/Object"}) {
    CHECK(FindText(*image, name) == "(none)");
  }
}

TEST_CASE("A resource of an image that cannot be unpacked is an error") {
  const auto image = JdkImage::Open(FileOf(
      MakeImage({{"java.base", "a/Unknown.class", ToBytes("text"), Packing::kUnknown},
                 {"java.base", "a/Large.class", ToBytes(std::string(2000, 'x')), Packing::kZip}})));
  REQUIRE(image.ok());
  CHECK(FindText(*image, "a/Unknown") ==
        "modules: a resource is compressed by 'brotli', which is not known");
  const auto found = image->FindClass("a/Large", 1000);
  REQUIRE(!found.ok());
  CHECK(found.status().code() == Code::kLimit);
}

TEST_CASE("A file that is no image of a known version is refused") {
  Bytes bytes = MakeImage(Resources());
  const auto message = [](Bytes tried) {
    const auto image = JdkImage::Open(FileOf(std::move(tried)));
    return image.ok() ? "" : image.status().message();
  };
  CHECK(message(bytes).empty());
  CHECK(message({bytes.begin(), bytes.begin() + 27}) ==
        "modules is cut short: it has 27 bytes, and 28 are needed at 0");
  bytes[6] = 2;
  CHECK(message(bytes) == "modules: version 2.0 of JDK images is not supported");
  bytes[0] = 0;
  CHECK(message(bytes) == "modules is not a sound JDK image: it starts with other bytes");
}

// An image has no checksums, so damaged contents are not noticed. But no read leaves the file, and
// names are compared.
TEST_CASE("A damaged or shortened image is read safely") {
  std::vector<TestResource> resources = Resources();
  resources.resize(6);
  const Bytes sound = MakeImage(resources);
  size_t found = 0;
  size_t missed = 0;
  size_t refused = 0;
  const auto try_bytes = [&](Bytes bytes) {
    const auto image = JdkImage::Open(FileOf(std::move(bytes)));
    if (!image.ok()) return static_cast<void>(++refused);
    for (const char* const name : {"java/lang/Object", "java/sql/Driver", "java/util/Map$Entry"}) {
      const auto result = image->FindClass(name, kMost);
      ++(result.ok() && *result ? found : missed);
    }
  };
  for (size_t size = 0; size < sound.size(); ++size) {
    try_bytes({sound.begin(), sound.begin() + static_cast<ptrdiff_t>(size)});
  }
  CHECK(refused > 0);
  CHECK(missed > 0);
  const size_t found_in_short = found;
  for (size_t at = 0; at < sound.size(); at += at < 2000 ? 1 : 97) {
    for (const char value : {'\x00', '\x01', '\x7F', '\x80', '\xFF'}) {
      Bytes damaged = sound;
      damaged[at] = static_cast<uint8_t>(value);
      try_bytes(std::move(damaged));
    }
  }
  CHECK(found > found_in_short);
}

TEST_CASE("The image of a real JDK has its classes") {
  auto file = ByteFile::Open(IPROF_JAVA_HOME "/lib/modules");
  REQUIRE(file.ok());
  const auto image = JdkImage::Open(std::move(*file));
  INFO((image.ok() ? "" : image.status().message()));
  REQUIRE(image.ok());
  CHECK(image->resource_count() > 1000);
  for (const std::string name :
       {"java/lang/Object", "java/util/Map$Entry", "java/util/logging/Level",
        "jdk/internal/misc/Unsafe", "sun/security/provider/SHA"}) {
    INFO(name);
    const std::string text = FindText(*image, name);
    CHECK(text.starts_with("\xCA\xFE\xBA\xBE"));
    CHECK(text.find(name) != std::string::npos);
  }
  CHECK(FindText(*image, "java/lang/NoSuchClass") == "(none)");
}
