// SubstitutionRows: what the native images of each GraalVM release replace in the JDK, as
// scripts/list-substitutions found it in their annotations.
//
// A row's methods are words joined by blanks: name(parameter types)MARKletters, types being spelled
// as Class.getName() does. The letters are the releases, 'a' being the first ImageTarget. The mark
// says what the image has: '~' another body, '-' no such method, '=' the original, in a class that
// is replaced as a whole. The method "*" stands for all that have no word of their own. Rows are in
// order of their names. Constant; any thread.
#pragma once

#include <span>
#include <string_view>

namespace iprof {

struct SubstitutionRow {
  std::string_view class_name;
  std::string_view methods;
};

std::span<const SubstitutionRow> SubstitutionRows();

}  // namespace iprof
