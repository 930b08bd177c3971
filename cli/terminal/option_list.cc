#include "cli/terminal/option_list.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace iprof::cli {

OptionRow& OptionRow::Required(bool required) {
  option_->required(required);
  return *this;
}

OptionRow& OptionRow::Takes(const std::string& what) {
  option_->type_name(what);
  return *this;
}

OptionRow& OptionRow::Describe(const std::string& description) {
  option_->description(description);
  return *this;
}

OptionRow& OptionRow::OneValueEach() {
  option_->allow_extra_args(false);
  return *this;
}

OptionRow& OptionRow::Check(std::function<std::string(const std::string&)> problem) {
  option_->check(std::move(problem));
  return *this;
}

bool OptionRow::given() const { return option_->count() != 0; }

OptionRow OptionList::Add(const std::string& name, std::string& value,
                          const std::string& description) {
  return OptionRow(app_->add_option(name, value, description));
}

OptionRow OptionList::Add(const std::string& name, std::vector<std::string>& values,
                          const std::string& description) {
  return OptionRow(app_->add_option(name, values, description));
}

OptionRow OptionList::AddFlag(const std::string& name, bool& flag, const std::string& description) {
  return OptionRow(app_->add_flag(name, flag, description));
}

void OptionList::AddHelp(const std::string& name, const std::string& description) {
  app_->set_help_flag(name, description);
}

OptionRow OptionList::AddParsed(const std::string& name,
                                std::function<std::string(const std::string&)> parse,
                                const std::string& description) {
  CLI::Option* const option = app_->add_option_function<std::string>(
      name, [](const std::string&) {}, description);
  option->check(std::move(parse));
  return OptionRow(option);
}

}  // namespace iprof::cli
