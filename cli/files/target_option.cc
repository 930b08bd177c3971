#include "cli/files/target_option.h"

#include <vector>

#include "cli/terminal/option_kinds.h"

namespace iprof::cli {

OptionRow AddTarget(OptionList& options, std::string& target) {
  std::vector<std::string> jdks;
  for (const ImageTarget each : kImageTargets) jdks.push_back(std::to_string(JdkOf(each)));
  return AddChoice(options, "--target", target, jdks,
                   "The JDK of the GraalVM that builds the image (default: what the profile says, "
                   "or " +
                       jdks.back() + ")");
}

ImageTarget TargetOf(const std::string& target, const std::optional<ImageNote>& note) {
  for (const ImageTarget each : kImageTargets) {
    if (target == std::to_string(JdkOf(each))) return each;
  }
  return note ? note->target : kNewestImageTarget;
}

}  // namespace iprof::cli
