#include "writer/profile/image/substitutions.h"

#include <algorithm>

#include "writer/profile/image/substitution_table.h"

namespace iprof {
namespace {

constexpr std::string_view kMarks = "~-=";

// Takes the text up to `end` from the front of `rest`; all of `rest` if it does not contain `end`.
std::string_view Take(std::string_view& rest, char end) {
  const size_t at = rest.find(end);
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(at == std::string_view::npos ? rest.size() : at + 1);
  return taken;
}

bool IsMethod(std::string_view word, std::string_view method,
              std::span<const std::string_view> parameters) {
  if (Take(word, '(') != method) return false;
  std::string_view listed = Take(word, ')');
  for (const std::string_view parameter : parameters) {
    if (listed.empty() || Take(listed, ',') != parameter) return false;
  }
  return listed.empty();
}

ImageTargets TargetsIn(std::string_view letters) {
  ImageTargets targets = 0;
  for (const char letter : letters) {
    targets = static_cast<ImageTargets>(targets | 1U << static_cast<unsigned>(letter - 'a'));
  }
  return targets;
}

}  // namespace

const SubstitutionRow* FindSubstitutions(std::string_view class_name) {
  const std::span<const SubstitutionRow> rows = SubstitutionRows();
  const auto row = std::lower_bound(
      rows.begin(), rows.end(), class_name,
      [](const SubstitutionRow& r, std::string_view name) { return r.class_name < name; });
  return row == rows.end() || row->class_name != class_name ? nullptr : &*row;
}

Substitution SubstitutionIn(const SubstitutionRow* row, std::string_view method,
                            std::span<const std::string_view> parameters) {
  if (row == nullptr) return {};
  Substitution others;  // for the methods that are not listed
  Substitution named;
  ImageTargets known = 0;
  for (std::string_view rest = row->methods; !rest.empty();) {
    const std::string_view word = Take(rest, ' ');
    const size_t mark = word.find_last_of(kMarks);
    const ImageTargets targets = TargetsIn(word.substr(mark + 1));
    const bool all = word.starts_with('*');
    if (!all && !IsMethod(word.substr(0, mark), method, parameters)) continue;
    Substitution& found = all ? others : named;
    if (!all) known |= targets;
    if (word[mark] == '~') found.replaced |= targets;
    if (word[mark] == '-') found.absent |= targets;
  }
  const auto unknown = static_cast<ImageTargets>(~known);
  named.replaced |= static_cast<ImageTargets>(others.replaced & unknown);
  named.absent |= static_cast<ImageTargets>(others.absent & unknown);
  return named;
}

}  // namespace iprof
