// Adds members to a class and reads them back. Everything that was there stays the same.
#include "agent/classfile/member_additions.h"

#include <catch2/catch.hpp>
#include <string>

#include "agent/classfile/code.h"
#include "agent/classfile/test_class.h"

namespace iprof::classfile {
namespace {

constexpr uint16_t kPublicStatic = kAccPublic | kAccStatic;

// "0x9 m (I)V: iload_0 invokestatic T.m return", one line per member.
std::string Members(ByteSpan bytes) {
  Workspace memory;
  ClassFile file;
  const Reason parsed = file.Parse(bytes, memory.class_memory);
  if (parsed != Reason::kOk) return ReasonName(parsed);
  std::string text;
  const auto describe = [&](const MemberInfo& m) {
    text += std::to_string(m.access) + " " + std::string(file.NameOf(m)) + " " +
            std::string(file.DescriptorOf(m));
  };
  for (const MemberInfo& field : file.fields()) {
    describe(field);
    text += "\n";
  }
  for (const MemberInfo& method : file.methods()) {
    describe(method);
    text += ":";
    MethodCode code;
    if (code.Decode(file, method, memory.class_memory) != Reason::kOk) return "no code";
    for (Insn i = 0; i < code.count(); ++i) {
      text += " " + std::string(OpName(code.at(i).op));
      if (const auto member = code.Member(i)) {
        text += " " + std::string(file.pool().ClassName(member->owner)) + "." +
                std::string(member->name) + std::string(member->descriptor);
      }
    }
    text += " (" + std::to_string(code.max_stack()) + "," + std::to_string(code.max_locals()) + ")";
    AttributeWalk attributes = file.AttributesOf(method);
    AttributeView attribute;
    while (attributes.Next(&attribute)) {
      if (file.pool().Utf8(attribute.name) != "RuntimeVisibleAnnotations") continue;
      text += " @";
      text += file.pool().Utf8(CpIndex{LoadU2(attribute.bytes.data() + 2)});
    }
    text += "\n";
  }
  return text;
}

struct Added {
  ByteVector bytes;
  Reason reason;
};

template <typename Add>
Added AddTo(const ByteVector& bytes, Add add) {
  Arena arena;
  ClassFile file;
  REQUIRE(file.Parse(bytes, arena) == Reason::kOk);
  MemberAdditions additions(file, arena);
  add(additions);
  ByteSpan result;
  const Reason reason = additions.Finish(&result);
  return {ByteVector(result.begin(), result.end()), reason};
}

ByteVector Plain() {
  TestClass source;
  source.code = Op1({Op::return_});
  return source.Bytes();
}

TEST_CASE("fields and methods stand behind the class's own") {
  const Added added = AddTo(Plain(), [](MemberAdditions& a) {
    a.AddField(kPublicStatic | kAccFinal, "iprof-c0", "[J");
    a.AddForwarder(kPublicStatic, "iprof-row", "(I)[J", "java/lang/Other", "row");
    a.AddForwarder(kPublicStatic, "iprof-hit", "(Ljava/lang/Object;II)V", "java/lang/Other", "hit");
    a.AddForwarder(kPublicStatic, "add", "(JD)D", "java/lang/Other", "add");
  });
  REQUIRE(added.reason == Reason::kOk);
  const std::string inlined = " @Ljdk/internal/vm/annotation/ForceInline;\n";
  CHECK(Members(added.bytes) ==
        "25 iprof-c0 [J\n"
        "8 m ()V: return (4,4)\n"
        "9 iprof-row (I)[J: iload_0 invokestatic java/lang/Other.row(I)[J areturn (1,1)" +
            inlined +
            "9 iprof-hit (Ljava/lang/Object;II)V: aload_0 iload_1 iload_2 invokestatic "
            "java/lang/Other.hit(Ljava/lang/Object;II)V return (3,3)" +
            inlined +
            "9 add (JD)D: lload_0 dload_2 invokestatic java/lang/Other.add(JD)D dreturn (4,4)" +
            inlined);
}

TEST_CASE("nothing added gives the class itself") {
  const ByteVector bytes = Plain();
  const Added added = AddTo(bytes, [](MemberAdditions&) {});
  CHECK(added.reason == Reason::kOk);
  CHECK(added.bytes == bytes);
}

TEST_CASE("what cannot be is refused with a reason") {
  const auto reason_of = [](const char* descriptor) {
    return AddTo(Plain(), [&](MemberAdditions& a) { a.AddForwarder(9, "f", descriptor, "T", "f"); })
        .reason;
  };
  CHECK(reason_of("(IIII)V") == Reason::kOk);
  CHECK(reason_of("(IIIII)V") == Reason::kBadDescriptor);
  CHECK(reason_of("(JID)V") == Reason::kBadDescriptor);
  CHECK(reason_of("(I") == Reason::kBadDescriptor);

  TestClass full;
  full.code = Op1({Op::return_});
  full.extra_constants = 65535 - 40;
  const auto add_many = [](MemberAdditions& a) {
    for (int i = 0; i < 60; ++i) a.AddField(9, "f" + std::to_string(i), "I");
  };
  CHECK(AddTo(full.Bytes(), add_many).reason == Reason::kConstantPoolFull);
}

}  // namespace
}  // namespace iprof::classfile
