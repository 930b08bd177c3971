// WrapText: text in lines of limited width.
//
// Guarantees: pure. Lines break at spaces only, so a word that is longer than the width has a line of
// its own. Lines after the first begin with `indent` spaces; the caller writes those before the first.
// Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace iprof {

std::string WrapText(std::string_view text, size_t indent, size_t width);

}  // namespace iprof
