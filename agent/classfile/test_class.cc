#include "agent/classfile/test_class.h"

#include <fmt/core.h>

namespace iprof::classfile {

ByteVector Op1(std::initializer_list<Op> ops) {
  ByteVector out;
  for (const Op op : ops) out.push_back(static_cast<uint8_t>(op));
  return out;
}

namespace {

struct PoolWriter {
  ByteVector bytes;
  uint32_t next = 1;

  uint32_t Utf8(const std::string& s) {
    bytes.push_back(1);
    PutU2(&bytes, static_cast<uint32_t>(s.size()));
    bytes.insert(bytes.end(), s.begin(), s.end());
    return next++;
  }
  uint32_t Pair(Tag tag, uint32_t a, uint32_t b) {
    bytes.push_back(static_cast<uint8_t>(tag));
    PutU2(&bytes, a);
    PutU2(&bytes, b);
    return next++;
  }
  uint32_t Class(const std::string& s) {
    const uint32_t name = Utf8(s);
    bytes.push_back(static_cast<uint8_t>(Tag::kClass));
    PutU2(&bytes, name);
    return next++;
  }
};

void PutAttributes(PoolWriter& pool, const std::vector<std::pair<std::string, ByteVector>>& from,
                   ByteVector* out) {
  for (const auto& [name, contents] : from) {
    PutU2(out, pool.Utf8(name));
    PutU4(out, static_cast<uint32_t>(contents.size()));
    out->insert(out->end(), contents.begin(), contents.end());
  }
}

std::string TypeText(const ClassFile& file, ByteReader& r) {
  const uint8_t tag = r.U1();
  static constexpr const char* kNames[] = {"top", "I", "F", "D", "J", "null", "this", "obj", "new"};
  if (tag < 7) return kNames[tag];
  const uint16_t value = r.U2();
  if (tag == 7) return std::string(file.pool().ClassName(CpIndex{value}));
  return fmt::format("new@{}", value);
}

std::string Types(const ClassFile& file, ByteReader& r, uint32_t n) {
  std::string text;
  for (uint32_t k = 0; k < n; ++k) text += (k == 0 ? "" : ",") + TypeText(file, r);
  return text;
}

std::string FrameText(const ClassFile& file, const MethodCode& code, const FrameTable& frames,
                      const FrameRef& f) {
  ByteReader r(ByteSpan(frames.bytes() + f.offset, f.length));
  const uint8_t tag = r.U1();
  std::string text = fmt::format(" | frame {}", code.OffsetOf(f.insn));
  if (tag >= 247) r.U2();
  if (tag < 64 || tag == 251) return text + " same";
  if (tag < 128 || tag == 247) return text + " same {" + Types(file, r, 1) + "}";
  if (tag < 251) return text + fmt::format(" chop {}", 251 - tag);
  if (tag < 255) return text + " append [" + Types(file, r, tag - 251u) + "]";
  const std::string locals = Types(file, r, r.U2());
  const std::string stack = Types(file, r, r.U2());
  return text + " full [" + locals + "] {" + stack + "}";
}

}  // namespace

ByteVector TestClass::Bytes() const {
  PoolWriter pool;
  pool.Class("T");
  pool.Class("java/lang/Object");
  const uint32_t call_name = pool.Utf8("call");                                 // 5
  const uint32_t call_type = pool.Utf8(call_descriptor);                        // 6
  const uint32_t call = pool.Pair(Tag::kNameAndType, call_name, call_type);     // 7
  pool.Utf8("unused");                                                          // 8
  pool.Utf8("unused");                                                          // 9
  pool.Pair(Tag::kMethodref, kThis, call);                                      // 10
  const uint32_t init_name = pool.Utf8("<init>");                               // 11
  const uint32_t init_type = pool.Utf8("()V");                                  // 12
  const uint32_t init = pool.Pair(Tag::kNameAndType, init_name, init_type);     // 13
  pool.Pair(Tag::kMethodref, kSuper, init);                                     // 14
  const uint32_t field_name = pool.Utf8("f");                                   // 15
  const uint32_t field_type = pool.Utf8("J");                                   // 16
  const uint32_t field = pool.Pair(Tag::kNameAndType, field_name, field_type);  // 17
  pool.Pair(Tag::kFieldref, kThis, field);                                      // 18
  const uint32_t code_name = pool.Utf8("Code");
  const uint32_t method_name = pool.Utf8(name);
  const uint32_t method_type = pool.Utf8(descriptor);

  ByteVector body;
  const bool short_header = major == 45 && minor < 3;
  if (short_header) {
    body.push_back(static_cast<uint8_t>(max_stack));
    body.push_back(static_cast<uint8_t>(max_locals));
    PutU2(&body, static_cast<uint32_t>(code.size()));
  } else {
    PutU2(&body, max_stack);
    PutU2(&body, max_locals);
    PutU4(&body, static_cast<uint32_t>(code.size()));
  }
  body.insert(body.end(), code.begin(), code.end());
  PutU2(&body, static_cast<uint32_t>(exceptions.size()));
  for (const TestException& e : exceptions) {
    PutU2(&body, e.from);
    PutU2(&body, e.to);
    PutU2(&body, e.handler);
    PutU2(&body, e.type);
  }
  PutU2(&body, static_cast<uint32_t>(attributes.size()));
  PutAttributes(pool, attributes, &body);

  ByteVector tail;
  PutU2(&tail, 0x21);
  PutU2(&tail, kThis);
  PutU2(&tail, has_super ? uint32_t{kSuper} : 0u);
  PutU2(&tail, 0);
  PutU2(&tail, 0);
  PutU2(&tail, 1);
  PutU2(&tail, access);
  PutU2(&tail, method_name);
  PutU2(&tail, method_type);
  PutU2(&tail, static_cast<uint32_t>(1 + method_attributes.size()));
  PutU2(&tail, code_name);
  PutU4(&tail, static_cast<uint32_t>(body.size()));
  tail.insert(tail.end(), body.begin(), body.end());
  PutAttributes(pool, method_attributes, &tail);
  PutU2(&tail, 0);
  for (uint32_t k = 0; k < extra_constants; ++k) {
    pool.bytes.push_back(static_cast<uint8_t>(Tag::kInteger));
    PutU4(&pool.bytes, k);
    ++pool.next;
  }

  ByteVector out = {0xCA, 0xFE, 0xBA, 0xBE};
  PutU2(&out, minor);
  PutU2(&out, major);
  PutU2(&out, pool.next);
  out.insert(out.end(), pool.bytes.begin(), pool.bytes.end());
  out.insert(out.end(), tail.begin(), tail.end());
  return out;
}

Snippet Nops(MethodEditor& editor, int count) {
  SnippetBuilder builder(editor.pool(), editor.arena());
  for (int k = 0; k < count; ++k) builder.Raw(Op::nop);
  return builder.Finish();
}

std::string Print(ByteSpan bytes, Arena& arena) {
  ClassFile file;
  if (const Reason r = file.Parse(bytes, arena); r != Reason::kOk) return ReasonName(r);
  MethodCode code;
  if (const Reason r = code.Decode(file, file.methods()[0], arena); r != Reason::kOk) {
    return ReasonName(r);
  }
  FrameTable frames;
  if (const Reason r = frames.Read(code, arena); r != Reason::kOk) return ReasonName(r);
  std::string text;
  for (Insn i = 0; i < code.count(); ++i) {
    const Op op = code.at(i).op;
    text += fmt::format("{}{} {}", i == 0 ? "" : " / ", code.OffsetOf(i), OpName(op));
    if (IsConditionalBranch(op) || IsGoto(op) || IsJsr(op)) {
      text += fmt::format(" {}", code.OffsetOf(code.Successor(i, kTaken)));
    } else if (IsSwitch(op)) {
      for (Slot slot = 1; slot < code.EndSlot(i); ++slot) {
        text +=
            fmt::format(" {}:{}", code.SwitchKey(i, slot), code.OffsetOf(code.Successor(i, slot)));
      }
      text += fmt::format(" else:{}", code.OffsetOf(code.Successor(i, 0)));
    }
  }
  for (const ExceptionEntry& e : code.exceptions()) {
    text += fmt::format(" | catch {}-{} at {}", code.OffsetOf(e.from), code.OffsetOf(e.to),
                        code.OffsetOf(e.handler));
    if (e.catch_type != CpIndex::none) text += fmt::format(" type {}", Value(e.catch_type));
  }
  for (const FrameRef& f : frames.frames()) text += FrameText(file, code, frames, f);
  return text;
}

}  // namespace iprof::classfile
