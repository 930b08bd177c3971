// CodeNames: what `show` and `top` call types, methods and positions: short names with source lines, or whole ones with
// signatures.
//   short   HashMap.getNode line 571      String[]      Cart$$Lambda/0x605d…
//   whole   java.util.HashMap.getNode(java.lang.Object)java.util.HashMap$Node line 571
// Where the line is not known, a position has its bytecode index: "HashMap.getNode bci 12".
//
// Guarantees: texts are escaped for a terminal. Threads: any. Failure: none but std::bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "writer/profile/model.h"

namespace iprof::cli {

class CodeNames {
 public:
  CodeNames(const Profile& profile, bool whole) : profile_(profile), whole_(whole) {}

  std::string Type(TypeIndex type) const;
  std::string Method(MethodIndex method) const;
  // With the line of its first instruction, if that is known.
  std::string MethodAndLine(MethodIndex method) const;
  std::string Position(Frame frame) const;
  // "line 571" or "bci 12"
  std::string PlaceIn(Frame frame) const;
  // The position and those of its callers, "… < … < …"; of a call, the innermost is only the method.
  std::string Context(ContextIndex context, bool is_call = false) const;
  MethodIndex InnermostMethod(ContextIndex context) const {
    return profile_.InnermostFrame(context).method;
  }
  // "HashMap.get" for the callee "java.util.HashMap.get"; empty if it is not known.
  std::string Callee(Frame frame) const;

 private:
  const Profile& profile_;
  const bool whole_;
};

// "[Ljava.lang.String;": "String[]"
std::string ShortTypeName(std::string_view name);

}  // namespace iprof::cli
