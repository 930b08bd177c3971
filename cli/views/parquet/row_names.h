// Names of methods and classes as texts of rows, and back.
//
//   a.b.C.run(int,[Ljava.lang.String;)void     class, method, types of the parameters, type of the result
//   a.b.C.run%28x(int)void                     what would have a meaning there is %XX; so are bytes that are no UTF-8
//   a.Main.main():12 < a.Boot.run():5          callers with their positions, innermost first
//
// Guarantees: MethodOf returns the method that TextOf was given, and AddCallers adds the frames that AppendFrame appended. Usual names are not changed.
// Threads: any; one per object. Failure: nullopt for what is no such text; std::bad_alloc.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "writer/base/hash.h"
#include "writer/profile/model.h"

namespace iprof::parquet {

std::string TextOf(const Profile& profile, MethodIndex method);
// Of a type or a thread, and back.
std::string TextOfName(std::string_view name);
std::optional<std::string> NameOf(std::string_view text);
// Appends "a.B.run()void:12" to the frames that it calls.
void AppendFrame(std::string_view method, Bci bci, std::string& text);
// "calls", "branches" …
std::string_view NameOfTable(Table table);

// Adds what rows name to a profile.
class RowNames {
 public:
  explicit RowNames(Profile& profile) : profile_(profile) {}

  std::optional<MethodIndex> MethodOf(std::string_view text);
  std::optional<TypeIndex> TypeOf(std::string_view text);
  // The context of the callers; kNoContext for none.
  std::optional<ContextIndex> AddCallers(std::string_view text, ContextIndex outermost);

 private:
  Profile& profile_;
  std::unordered_map<std::string, MethodIndex, TextHash, std::equal_to<>> methods_;
};

}  // namespace iprof::parquet
