#include "agent/vm/counting/compiler_settings.h"

#include "agent/classfile/rewriter.h"
#include "writer/base/small_file.h"

namespace iprof::vm {
namespace {

// HotSpot ignores the case of command names.
bool NamesBlackHole(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text.find("blackhole") != std::string::npos;
}

bool FileNamesBlackHole(const std::string& path) {
  const auto text = ReadSmallFile(path);
  // JMH deletes its file at its end, so after an attach the content is unknown.
  return !text || NamesBlackHole(*text);
}

}  // namespace

CompilerSettings ReadCompilerSettings(const FlagQueries& flags) {
  CompilerSettings settings{classfile::kHugeMethodLimit, false};
  if (flags.boolean("DontCompileHugeMethods") == false) settings.huge_method_limit = 0;
  const std::string commands = flags.text("CompileCommand").value_or("");
  const std::string file = flags.text("CompileCommandFile").value_or("");
  settings.black_holes = NamesBlackHole(commands) || (!file.empty() && FileNamesBlackHole(file));
  return settings;
}

}  // namespace iprof::vm
