// ClassListings: the bytecode and the source of methods for a report, from class files and source files.
//
// Guarantees: a method is found by its class, name and types. A method whose code is
// known to be another than the class file's has no listing. Class files may be damaged in any way.
// Threads: one per object. Failure: what is not found or not readable has no listing; std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "agent/classfile/code.h"
#include "cli/views/report/method_listing.h"
#include "cli/views/report/source_texts.h"

namespace iprof::report {

// The class file of "a.b.Outer$Inner"; nullopt if there is none.
using FindClass = std::function<std::optional<std::vector<uint8_t>>(std::string_view name)>;

// Where control goes from an instruction, without texts.
ListedInstruction FlowOf(const classfile::MethodCode& code, classfile::Insn i);
// The name of the class's source file, "Cart.java"; empty if it does not say it.
std::string SourceFileOf(const classfile::ClassFile& file);
// Whether the profile knows that the method had other code than this when it was recorded: `recorded` is Profile::CodeHash.
bool HasOtherCode(const classfile::MethodCode& code, uint64_t recorded);
// The method of a class that a class file gives this name and descriptor.
std::optional<MethodIndex> FindMethod(const Profile& profile, TypeIndex declaring,
                                      std::string_view name, std::string_view descriptor);

class ClassListings : public ListingSource {
 public:
  // `sources` may be null.
  ClassListings(FindClass find, const SourceTexts* sources);
  ~ClassListings() override;

  std::optional<MethodListing> Find(const Profile& names, MethodIndex method) override;

  // Classes that were looked for, and those that were not found or not readable.
  size_t asked() const { return classes_.size(); }
  size_t missing() const { return missing_; }

 private:
  struct LoadedClass;

  const LoadedClass* Load(std::string_view name);
  void AddSource(const LoadedClass& loaded, MethodListing& listing) const;

  FindClass find_;
  const SourceTexts* sources_;
  size_t missing_ = 0;
  std::unordered_map<std::string, std::unique_ptr<LoadedClass>> classes_;  // null: missing
};

}  // namespace iprof::report
