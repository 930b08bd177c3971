// SubstitutionRows: what the native images of each GraalVM release replace in the JDK.
// scripts/list-substitutions reads it from GraalVM's annotations.
//
// A row's methods are words separated by spaces: name(parameter types)MARKletters, with types as
// Class.getName() spells them. Each letter is a release; 'a' is the first ImageTarget. The mark
// says what the image has: '~' another body, '-' no such method, '=' the original, in a class that
// is replaced as a whole. The method "*" stands for all methods that are not listed. Rows are
// sorted by name.
//
// Guarantees: constant data. Threads: any. Failure: none.
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
