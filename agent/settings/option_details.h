// OptionDetails: all that the reference (docs/options.md) and help=OPTION say about an option. The
// table in options.cc has the short form.
//
// The text is Markdown as docs/ has it: words in backquotes, links relative to docs/. The reference is
// made from it by scripts/option-reference.
//
// Guarantees: pure. Threads: any. Failure: an unknown option has an empty text.
#pragma once

#include <span>
#include <string_view>

namespace iprof::vm {

struct OptionDetails {
  std::string_view name;
  std::string_view text;
};

std::span<const OptionDetails> AllOptionDetails();
std::string_view DetailsOf(std::string_view option);

}  // namespace iprof::vm
