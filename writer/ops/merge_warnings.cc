#include "writer/ops/merge_warnings.h"

#include <fmt/core.h>

#include "writer/base/grouped.h"
#include "writer/base/join_text.h"
#include "writer/ops/program_groups.h"
#include "writer/profile/image/image_target.h"
#include "writer/profile/io/agent_section.h"

namespace iprof {
namespace {

bool HasWordsFor(const ImageChoice& image) {
  return image.targets.size() > 1 || image.filters_differ;
}

// Behind "the result is meant for JDK 21, ". An input may be neither the newest of all nor have the most
// counts of all, so a criterion that only broke a tie says among which inputs.
std::string_view WordsFor(ImageChoice::Reason reason) {
  switch (reason) {
    case ImageChoice::Reason::kNewest:
      return "as the newest input is";
    case ImageChoice::Reason::kHeaviest:
      return "as the inputs with the most counts are";
    case ImageChoice::Reason::kNewestOfHeaviest:
      return "as the newest of the inputs with the most counts is";
    case ImageChoice::Reason::kHeaviestOfNewest:
      return "as those of the newest inputs that have the most counts are";
    case ImageChoice::Reason::kNewestTarget:
      break;
  }
  return "the newest JDK of the newest inputs with the most counts";
}

std::string OfImages(const ImageChoice& image) {
  if (image.targets.size() <= 1) {
    return "only some of the inputs say that what an image build cannot use was left out: the "
           "result may have it ('iprof convert --to iprof --image' leaves it out)";
  }
  std::string builds;
  for (const ImageTarget target : image.targets)
    builds += fmt::format("{}JDK {}", builds.empty() ? "" : " and ", JdkOf(target));
  const int jdk = JdkOf(image.note->target);
  return fmt::format(
      "the inputs are meant for image builds for {}: the result is meant for JDK {}, {}. It may "
      "have what that build does not know or cannot use, which 'iprof convert --to iprof --image "
      "--target {}' leaves out",
      builds, jdk, WordsFor(image.reason), jdk);
}

std::string OfKey(const std::string& key) {
  if (key == "iprofagent.sampling") {
    return "the inputs were sampled in different ways (event, interval): the statistics of the "
           "one with the most signals were kept";
  }
  // Of our own keys, a value that cannot be read gives way.
  return fmt::format("inputs have different values for the key '{}'; kept {}", key,
                     key.starts_with(kAgentKey)
                         ? "one that this iprof can read, or else the one that sorts first"
                         : "the one that sorts first");
}

std::string OfPrograms(const std::vector<std::string>& inputs) {
  std::string names;
  for (size_t i = 0; i < inputs.size(); ++i)
    names += (i == 0                  ? ""
              : i + 1 < inputs.size() ? ", "
                                      : " and ") +
             (inputs[i] == "-" ? "standard input" : inputs[i]);
  return fmt::format(
      "the inputs seem to be of different programs: {} share less than {:.0f} % of the calls of "
      "methods outside the JDK. "
      "Merge runs of one program only, because an image build takes what all of them do in the JDK",
      names, 100 * ProgramGroups::kLeastShared);
}

std::string Joined(const std::vector<std::string>& examples, size_t methods) {
  return fmt::format("{}{}", JoinText(examples, ", "), examples.size() < methods ? ", ..." : "");
}

std::string OfSamples(int64_t samples) {
  const bool is_one = samples == 1;
  return fmt::format(
      "{} positions in code that was not kept or is not known: {} now {} before that method, or {} "
      "at its start",
      Counted(samples, "sample has", "samples have"), is_one ? "its stack" : "their stacks",
      is_one ? "ends" : "end", is_one ? "begins" : "begin");
}

}  // namespace

std::vector<std::string> WarningsOf(const MergeResult& merged, PreferredVersion preferred,
                                    std::string_view if_scaled) {
  std::vector<std::string> warnings;
  if (merged.programs.size() > 1) warnings.push_back(OfPrograms(merged.programs));
  for (const std::string& key : merged.conflicting_keys) {
    if (key == "iprofagent.image" && HasWordsFor(merged.image)) continue;
    warnings.push_back(OfKey(key));
  }
  if (merged.scaled) {
    warnings.push_back(fmt::format(
        "the inputs were counted in different ways (exactly, estimated, or as HotSpot counted): "
        "each input was scaled to the same total of calls and branches{}",
        if_scaled));
  }
  if (HasWordsFor(merged.image)) warnings.push_back(OfImages(merged.image));
  const VersionReport& versions = merged.versions;
  if (versions.methods > 0) {
    warnings.push_back(fmt::format(
        "the code of {} differs between the inputs; the calls were added up, and the positions of "
        "the {} version were kept: {}",
        Counted(versions.methods, "method", "methods"),
        preferred == PreferredVersion::kNewest ? "newest" : "heaviest", ExamplesOf(versions)));
  }
  if (versions.doubtful_methods > 0) {
    warnings.push_back(
        DescribeDoubtful(versions) +
        "; branches, receivers and type checks were added up as if it were the same");
  }
  if (versions.samples > 0) warnings.push_back(OfSamples(versions.samples));
  return warnings;
}

std::string ExamplesOf(const VersionReport& versions) {
  return Joined(versions.examples, versions.methods);
}

std::string DescribeDoubtful(const VersionReport& versions) {
  return fmt::format("the code of {} may differ, as only some of the inputs have hashes of it ({})",
                     Counted(versions.doubtful_methods, "method", "methods"),
                     Joined(versions.doubtful_examples, versions.doubtful_methods));
}

}  // namespace iprof
