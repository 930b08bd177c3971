#include "writer/profile/image/substitutions.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "writer/profile/image/substitution_table.h"

namespace iprof {
namespace {

Substitution Find(std::string_view owner, std::string_view method,
                  std::vector<std::string_view> parameters = {}) {
  return SubstitutionIn(FindSubstitutions(owner), method, parameters);
}

ImageTargets Of(std::initializer_list<ImageTarget> targets) {
  ImageTargets bits = 0;
  for (const ImageTarget target : targets) bits |= BitOf(target);
  return bits;
}

TEST_CASE("methods that stopped a real image build") {
  for (const auto& [owner, method] : {std::pair{"java.lang.Class", "getName"},
                                      std::pair{"java.lang.invoke.LambdaForm", "compileToBytecode"},
                                      std::pair{"java.lang.Object", "notify"}}) {
    INFO(owner << "." << method);
    CHECK(Find(owner, method) == Substitution{kAllImageTargets, 0});
  }
  // Each release replaces only the constructor of its own JDK.
  CHECK(Find("java.lang.Thread", "<init>",
             {"java.lang.ThreadGroup", "java.lang.String", "int", "java.lang.Runnable", "long"}) ==
        Substitution{Of({ImageTarget::k24, ImageTarget::k25}), 0});
  CHECK(Find("java.lang.Thread", "<init>", {"java.lang.Runnable"}) == Substitution{});
}

TEST_CASE("deleted methods, and classes that are replaced as a whole") {
  CHECK(Find("java.lang.Thread", "registerNatives") == Substitution{0, kAllImageTargets});
  // java.lang.Class: some methods keep their code; of the methods that are not listed, the image
  // has none.
  CHECK(Find("java.lang.Class", "createAnnotationData", {"int"}) == Substitution{});
  CHECK(Find("java.lang.Class", "noSuchMethod") == Substitution{0, kAllImageTargets});
  CHECK(Find("java.lang.StackStreamFactory", "checkStackWalkModes") ==
        Substitution{0, kAllImageTargets});
}

TEST_CASE("everything else is as the JDK has it") {
  CHECK(Find("java.lang.String", "equals", {"java.lang.Object"}) == Substitution{});
  CHECK(Find("java.lang.String", "intern").replaced == kAllImageTargets);
  CHECK(Find("a.Main", "main", {"[Ljava.lang.String;"}) == Substitution{});
  CHECK(Find("", "") == Substitution{});
  CHECK(Find("java.lang.Thread", "") == Substitution{});
  CHECK(Find("java.lang.Thread", "registerNatives", {"int"}) == Substitution{});
}

TEST_CASE("the table is whole: sorted, well spelled, with every target") {
  std::string last;
  ImageTargets seen = 0;
  size_t methods = 0;
  for (const SubstitutionRow& row : SubstitutionRows()) {
    INFO(row.class_name);
    CHECK(last < row.class_name);
    last = row.class_name;
    for (size_t at = 0; at < row.methods.size();) {
      const std::string word(row.methods.substr(at, row.methods.find(' ', at) - at));
      at += word.size() + 1;
      INFO(word);
      const size_t mark = word.find_last_of("~-=");
      REQUIRE(mark != std::string::npos);
      REQUIRE(mark + 1 < word.size());
      for (const char letter : word.substr(mark + 1)) {
        REQUIRE(letter >= 'a');
        REQUIRE(letter <= 'e');
        seen |= static_cast<ImageTargets>(1U << static_cast<unsigned>(letter - 'a'));
      }
      const std::string method = word.substr(0, mark);
      CHECK((method == "*" || (method.find('(') != std::string::npos && method.back() == ')')));
      ++methods;
    }
  }
  CHECK(seen == kAllImageTargets);
  CHECK(SubstitutionRows().size() > 150);
  CHECK(methods > 800);
}

TEST_CASE("which release is meant for a JDK") {
  CHECK(ImageTargetForJdk(0) == kNewestImageTarget);
  CHECK(ImageTargetForJdk(11) == ImageTarget::k17);
  CHECK(ImageTargetForJdk(20) == ImageTarget::k17);
  CHECK(ImageTargetForJdk(21) == ImageTarget::k21);
  CHECK(ImageTargetForJdk(22) == ImageTarget::k23);
  CHECK(ImageTargetForJdk(25) == ImageTarget::k25);
  CHECK(ImageTargetForJdk(99) == kNewestImageTarget);
  for (const ImageTarget target : kImageTargets) CHECK(ImageTargetForJdk(JdkOf(target)) == target);
}

}  // namespace
}  // namespace iprof
