// The definitions of fmt 9 that its headers only declare; see Fmt.cmake.
//
// Without the locales of the C++ library, which would be a third of the agent. Nothing here prints
// numbers as a locale wants them.
#define FMT_STATIC_THOUSANDS_SEPARATOR ','
#include <fmt/format-inl.h>

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template FMT_API auto decimal_point_impl<char>(locale_ref) -> char;

}  // namespace detail
FMT_END_NAMESPACE
