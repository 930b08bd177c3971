// What another agent may do to a class, and what the class file then says.
#include "agent/instrument/table/original_class_reader.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "agent/classfile/testing/assembled_class.h"
#include "agent/instrument/table/code_hash.h"
#include "writer/records/class_record.h"

namespace iprof::instrument {
namespace {

using classfile::Op;

uint64_t HashIn(const std::vector<uint8_t>& class_file) {
  classfile::Arena arena;
  classfile::ClassFile file;
  REQUIRE(file.Parse(class_file, arena) == classfile::Reason::kOk);
  classfile::MethodCode code;
  REQUIRE(code.Decode(file, file.methods()[0], arena) == classfile::Reason::kOk);
  classfile::SymbolicCode scratch;
  return CodeHash(code, scratch);
}

CountedMethod Seen(std::string_view name, std::string_view descriptor,
                   const std::vector<uint8_t>& code) {
  CountedMethod method;
  method.name = name;
  method.descriptor = descriptor;
  // The hash of the method with this code in a class file of its own.
  const std::vector<uint8_t> file =
      AssembledClass("a/U")
          .Add({.name = std::string(name), .descriptor = std::string(descriptor), .code = code})
          .Bytes();
  method.code_hash = code.empty() ? 0 : HashIn(file);
  method.rewritten = !code.empty();
  return method;
}

std::vector<uint8_t> ClassFile() {
  return AssembledClass("a/T")
      .Add({.name = "f", .descriptor = "(I)I", .code = CountdownCode()})
      .Add({.name = "f", .descriptor = "()V", .code = Code({B(Op::return_)})})
      .Add({.access = 0x0109, .name = "n"})
      .Bytes();
}

TEST_CASE("a method is the same where its instructions are") {
  const OriginalClass original = ReadOriginalClass(ClassFile());
  CHECK(original.Judge(Seen("f", "(I)I", CountdownCode())) == MethodOrigin::kSame);
  CHECK(original.Judge(Seen("f", "()V", Code({B(Op::return_)}))) == MethodOrigin::kSame);
  CHECK(original.Judge(Seen("n", "()V", {})) == MethodOrigin::kSame);
}

TEST_CASE("other instructions are a changed method, however small the difference") {
  const OriginalClass original = ReadOriginalClass(ClassFile());
  std::vector<uint8_t> other = CountdownCode();
  other[6] = 0xfe;  // iinc 0,-2
  CHECK(original.Judge(Seen("f", "(I)I", other)) == MethodOrigin::kChanged);
  CHECK(original.Judge(Seen("f", "()V", Code({B(Op::nop), B(Op::return_)}))) ==
        MethodOrigin::kChanged);
  // The overloaded method's code is not this method's.
  CHECK(original.Judge(Seen("f", "()V", CountdownCode())) == MethodOrigin::kChanged);
  // A native method that now has a body.
  CHECK(original.Judge(Seen("n", "()V", Code({B(Op::return_)}))) == MethodOrigin::kChanged);
}

TEST_CASE("a method that the class file does not have was added") {
  const OriginalClass original = ReadOriginalClass(ClassFile());
  CHECK(original.Judge(Seen("$jacocoInit", "()[Z", CountdownCode())) == MethodOrigin::kAdded);
  CHECK(original.Judge(Seen("f", "(J)I", CountdownCode())) == MethodOrigin::kAdded);
}

TEST_CASE("nothing is trusted where the class file cannot be read") {
  CHECK(OriginalClass().Judge(Seen("f", "()V", Code({B(Op::return_)}))) == MethodOrigin::kChanged);
  std::vector<uint8_t> cut = ClassFile();
  cut.resize(cut.size() / 2);
  CHECK(ReadOriginalClass(cut).Judge(Seen("f", "(I)I", CountdownCode())) == MethodOrigin::kChanged);
  CHECK(ReadOriginalClass(std::vector<uint8_t>{}).Judge(Seen("f", "(I)I", CountdownCode())) ==
        MethodOrigin::kChanged);
}

}  // namespace
}  // namespace iprof::instrument
