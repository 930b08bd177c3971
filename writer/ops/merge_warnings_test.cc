// Each thing that does not fit together in a merge has its sentence.
#include "writer/ops/merge_warnings.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace iprof {
namespace {

using Warnings = std::vector<std::string>;

TEST_CASE("a merge of what fits together needs no words") {
  MergeResult merged;
  merged.merged = 2;
  merged.image.targets = {ImageTarget::k21};
  CHECK(WarningsOf(merged, PreferredVersion::kNewest).empty());
}

TEST_CASE("inputs of several programs are named, one of each") {
  MergeResult merged;
  merged.programs = {"a.iprof"};
  CHECK(WarningsOf(merged, PreferredVersion::kNewest).empty());
  merged.programs = {"a.iprof", "-", "c.iprof"};
  CHECK(WarningsOf(merged, PreferredVersion::kNewest) ==
        Warnings{"the inputs seem to be of different programs: a.iprof, standard input and c.iprof "
                 "share less than 5 % of the "
                 "calls of methods outside the JDK. Merge runs of one program only, because an "
                 "image build takes what all of "
                 "them do in the JDK"});
}

TEST_CASE("methods whose code may differ are named") {
  MergeResult merged;
  merged.versions.doubtful_methods = 2;
  merged.versions.doubtful_examples = {"a.B.run()void"};
  CHECK(WarningsOf(merged, PreferredVersion::kHeaviest) ==
        Warnings{"the code of 2 methods may differ, as only some of the inputs have hashes of it "
                 "(a.B.run()void, ...); branches, receivers and type checks were added up as if it "
                 "were the same"});
}

TEST_CASE("methods whose code differs are named, and which version was kept") {
  MergeResult merged;
  merged.versions = {.methods = 2, .examples = {"a.B.run()void"}, .samples = 1};
  CHECK(WarningsOf(merged, PreferredVersion::kNewest) ==
        Warnings{"the code of 2 methods differs between the inputs; the calls were added up, and "
                 "the positions of the newest version were kept: a.B.run()void, ...",
                 "1 sample has positions in code that was not kept or is not known: its stack now "
                 "ends before that method, or begins at its start"});
  merged.versions = {.methods = 1, .examples = {"a.B.run()void"}, .samples = 0};
  CHECK(WarningsOf(merged, PreferredVersion::kHeaviest) ==
        Warnings{"the code of 1 method differs between the inputs; the calls were added up, and "
                 "the positions of the heaviest version were kept: a.B.run()void"});
}

TEST_CASE("what the user can do about scaled inputs is the caller's word") {
  MergeResult merged;
  merged.scaled = true;
  const std::string said =
      "the inputs were counted in different ways (exactly, estimated, or as HotSpot counted): each "
      "input was scaled to the same total of calls and branches";
  CHECK(WarningsOf(merged, PreferredVersion::kNewest) == Warnings{said});
  CHECK(WarningsOf(merged, PreferredVersion::kNewest, " (so)") == Warnings{said + " (so)"});
}

TEST_CASE("a key with different values is named, that of the image build in other words") {
  MergeResult merged;
  merged.conflicting_keys = {"iprofagent", "iprofagent.image", "iprofagent.sampling", "vm"};
  merged.image.targets = {ImageTarget::k21, ImageTarget::k25};
  merged.image.note = ImageNote{.target = ImageTarget::k25, .filtered = false};
  merged.image.reason = ImageChoice::Reason::kNewest;
  const Warnings said = WarningsOf(merged, PreferredVersion::kNewest);
  REQUIRE(said.size() == 4);
  CHECK(said[0] ==
        "inputs have different values for the key 'iprofagent'; kept one that this iprof can read, "
        "or else the one that sorts first");
  CHECK(said[1].starts_with("the inputs were sampled in different ways (event, interval)"));
  CHECK(said[2] == "inputs have different values for the key 'vm'; kept the one that sorts first");
  CHECK(said[3].starts_with(
      "the inputs are meant for image builds for JDK 21 and JDK 25: the result is meant for JDK "
      "25, as the newest input is."));
}

TEST_CASE("inputs of which only some were filtered are told") {
  MergeResult merged;
  merged.conflicting_keys = {"iprofagent.image"};
  merged.image.filters_differ = true;
  const Warnings said = WarningsOf(merged, PreferredVersion::kNewest);
  REQUIRE(said.size() == 1);
  CHECK(said[0].starts_with("only some of the inputs say that what an image build cannot use"));
}

}  // namespace
}  // namespace iprof
