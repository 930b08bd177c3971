// OptionList: the options and arguments of one command, bound to its members; OptionRow: one of them. The command line
// is parsed by CLI11, which only this file's implementation, main.cc and reference.cc see: its header takes seconds to
// compile.
//
// Guarantees: what is bound is written when the command line is parsed. Rows are handles and stay valid as long as the
// list's parser does. Threads: one thread.
// Failure: a value that its check refuses is a usage error with the check's sentence.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace iprof::cli {

class OptionRow {
 public:
  OptionRow() = default;
  explicit OptionRow(CLI::Option* option) : option_(option) {}

  OptionRow& Required(bool required = true);
  // What help and completions show as the value: FILE, DIR, or words joined by '|'.
  OptionRow& Takes(const std::string& what);
  OptionRow& Describe(const std::string& description);
  // For options that may be given several times: each takes one value.
  OptionRow& OneValueEach();
  // `problem` returns what is wrong with a value, or an empty string.
  OptionRow& Check(std::function<std::string(const std::string&)> problem);

  bool given() const;  // after parsing

 private:
  CLI::Option* option_ = nullptr;
};

class OptionList {
 public:
  explicit OptionList(CLI::App& app) : app_(&app) {}

  // Names: "-o,--output" for an option, "file" for an argument.
  OptionRow Add(const std::string& name, std::string& value, const std::string& description);
  OptionRow Add(const std::string& name, std::vector<std::string>& values,
                const std::string& description);
  OptionRow AddFlag(const std::string& name, bool& flag, const std::string& description);
  // `parse` stores a value and returns an empty string, or returns what is
  // wrong with it; then it does not matter what it stored.
  OptionRow AddParsed(const std::string& name, std::function<std::string(const std::string&)> parse,
                      const std::string& description);
  // The option that prints the command's help.
  void AddHelp(const std::string& name, const std::string& description);

 private:
  CLI::App* app_;
};

}  // namespace iprof::cli
