#include "agent/vm/counting/compiler_settings.h"

#include <fstream>
#include <iterator>

#include "agent/classfile/rewriter.h"

namespace iprof::vm {
namespace {

// HotSpot ignores the case of command names.
bool NamesBlackHole(std::string text) {
  for (char& c : text) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return text.find("blackhole") != std::string::npos;
}

bool FileNamesBlackHole(const std::string& path) {
  std::ifstream file(path);
  // JMH deletes its file at its end, so after an attach the content is unknown.
  if (!file) return true;
  return NamesBlackHole({std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()});
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
