// CoverageOf: how often each line, branch and method of a program's class files was executed, from a profile's counts.
//
// What counts as what:
//  - A method: its calls. One that the profile does not have never ran, and is there with 0.
//  - A line: the blocks of its code (cli/views/report/block_executions.h). Blocks of which one can follow another are one way through
//    the line, and count as the largest of them; those that exclude each other are added up. Example: javac copies the code of
//    `finally { f(); }` to the end of the try block, which ran 8 times, and to its handler, which ran 2 times: 10. The line
//    `for (int i = 0; i < 3; i++)` has the blocks i = 0, i < 3 and i++, with 1, 4 and 3: 4.
//  - A branch: each `if` and `switch` instruction, with one way for each place where it continues, in the order of the code.
// Code that javac adds on its own is left out: synthetic methods but for bodies of lambdas, an enum's values(), valueOf() and
// empty constructor, and handlers that only release the lock of a synchronized block.
//
// Which classes: those of the class path that `wants` takes, without the JDK's; and, but with `every_package`, only those of
// packages of which the profile has a method that was called.
//
// What is not known: a line none of whose blocks has a count that follows from the profile's has the assumed one (CountFlow). It is
// 0 for most of them, those of exception handlers. `unknown_lines` says how many there are. A method whose code is known to be
// another than the class file's is left out, and counted.
//
// Guarantees: classes are ordered by name, methods as in their class files, lines ascending. Class files may be damaged in any
// way. Threads: any; one class path may serve several. Failure: a class that cannot be read is counted in `unreadable`;
// std::bad_alloc.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/classpath/class_path.h"
#include "cli/views/report/block_executions.h"
#include "cli/views/report/source_texts.h"
#include "writer/profile/model.h"

namespace iprof {

struct CoveredLine {
  int line;
  int64_t count;
  uint32_t instructions;
  uint32_t missed;  // of these, those that never ran
};

struct CoveredBranch {
  int line;
  bool ran;
  std::vector<int64_t> ways;  // at least two
};

struct CoveredMethod {
  std::string name;
  std::string descriptor;
  int line = 0;  // of the first instruction; 0: the method has no lines
  int64_t calls = 0;
  uint32_t instructions = 0;
  uint32_t missed = 0;
  std::vector<CoveredLine> lines;
  std::vector<CoveredBranch> branches;
};

struct CoveredClass {
  std::string name;         // "a/b/Cart$Item"
  std::string source_file;  // "Cart.java"; empty if the class file does not say it
  std::string
      source_path;  // "src/main/java/a/b/Cart.java"; "a/b/Cart.java" if there is no such file
  std::vector<CoveredMethod> methods;  // those with code
};

struct Coverage {
  std::vector<CoveredClass> classes;  // those with code
  size_t lines = 0;
  size_t unknown_lines = 0;
  size_t other_code = 0;       // methods
  size_t without_lines = 0;    // classes
  size_t unreadable = 0;       // class files
  size_t without_sources = 0;  // source files that `sources` does not have
};

struct CoverageOptions {
  std::function<bool(std::string_view class_name)> wants;  // "a.b.Cart"
  bool every_package = false;
  const report::SourceTexts* sources = nullptr;  // null: none
};

Coverage CoverageOf(const Profile& profile, const classpath::ClassPath& classes,
                    const CoverageOptions& options);

// The count of a line with these blocks, ascending. `exceptions`: from protected blocks to handlers.
int64_t LineCount(const MethodFlow& flow, std::span<const uint32_t> blocks,
                  std::span<const BlockEdge> exceptions);

// The lines of a source file from those of its methods: the same line of several is that of the one with the most executions, but
// copies of a field's initialiser in several constructors of a class are added up. The methods must stay.
class CoveredFile {
 public:
  void Add(const CoveredClass& of);
  // Ascending; instructions are added up.
  std::vector<CoveredLine> Lines() const;
  const std::vector<const CoveredClass*>& classes() const { return classes_; }

 private:
  std::vector<const CoveredClass*> classes_;
};

// By package, then by source file; both ascending. Classes without the name of their source file are left out.
struct CoveredPackage {
  std::string name;  // "a/b"
  std::vector<const CoveredClass*> classes;
  std::vector<std::pair<std::string, CoveredFile>> files;
};
std::vector<CoveredPackage> PackagesOf(const Coverage& coverage);

}  // namespace iprof
