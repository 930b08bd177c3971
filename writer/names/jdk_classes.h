// IsJdkClass: whether a class belongs to the JDK, by its name alone. A profile does not say which loader or module a
// class comes from.
//
// Guarantees: pure. It knows the packages of JDK 17 to 25, so "javax.crypto.Cipher" is the JDK's and
// "javax.servlet.Filter" is not. A class without a package is not the JDK's. Names are those of Class.getName(); an
// array is what its elements are, and primitive types are the JDK's.
// Threads: any. Failure: none.
#pragma once

#include <string_view>

namespace iprof {

bool IsJdkClass(std::string_view class_name);

}  // namespace iprof
