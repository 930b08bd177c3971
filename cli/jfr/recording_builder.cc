#include "cli/jfr/recording_builder.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

namespace iprof::jfr {
namespace {

constexpr size_t kHeaderSize = 68;

struct FieldFacts {
  std::string_view name;
  std::string_view type;
  bool is_key = false;
  bool is_array = false;
  std::string_view unit = {};
};
struct TypeFacts {
  int64_t id;
  std::string_view name;
  std::vector<FieldFacts> fields;
};

const std::vector<TypeFacts>& Types() {
  const FieldFacts start{"startTime", "long", false, false, "TICKS"};
  const FieldFacts duration{"duration", "long", false, false, "TICKS"};
  const FieldFacts thread{"eventThread", "java.lang.Thread", true};
  const FieldFacts sampled{"sampledThread", "java.lang.Thread", true};
  const FieldFacts stack{"stackTrace", "jdk.types.StackTrace", true};
  static const std::vector<TypeFacts> kTypes = {
      {4, "boolean", {}},
      {5, "char", {}},
      {6, "float", {}},
      {7, "double", {}},
      {8, "byte", {}},
      {9, "short", {}},
      {10, "int", {}},
      {11, "long", {}},
      {20, "java.lang.String", {}},
      {21, "java.lang.Class", {{"name", "jdk.types.Symbol", true}, {"modifiers", "int"}}},
      {22, "java.lang.Thread", {{"osName", "java.lang.String"}, {"javaName", "java.lang.String"}}},
      {30,
       "jdk.types.StackTrace",
       {{"truncated", "boolean"}, {"frames", "jdk.types.StackFrame", false, true}}},
      {31,
       "jdk.types.StackFrame",
       {{"method", "jdk.types.Method", true},
        {"lineNumber", "int"},
        {"bytecodeIndex", "int"},
        {"type", "jdk.types.FrameType", true}}},
      {32,
       "jdk.types.Method",
       {{"type", "java.lang.Class", true},
        {"name", "jdk.types.Symbol", true},
        {"descriptor", "jdk.types.Symbol", true},
        {"hidden", "boolean"}}},
      {33, "jdk.types.Symbol", {{"string", "java.lang.String"}}},
      {34, "jdk.types.FrameType", {{"description", "java.lang.String"}}},
      {101, "jdk.ExecutionSample", {start, sampled, stack}},
      {102, "jdk.NativeMethodSample", {start, sampled, stack}},
      {103,
       "jdk.CPUTimeSample",
       {start,
        stack,
        thread,
        {"failed", "boolean"},
        {"samplingPeriod", "long", false, false, "TICKS"}}},
      {104, "jdk.CPUTimeSamplesLost", {start, {"lostSamples", "int"}, thread}},
      {105,
       "jdk.ObjectAllocationSample",
       {start, thread, stack, {"objectClass", "java.lang.Class", true}, {"weight", "long"}}},
      {106,
       "jdk.ObjectAllocationInNewTLAB",
       {start,
        thread,
        stack,
        {"objectClass", "java.lang.Class", true},
        {"allocationSize", "long"},
        {"tlabSize", "long"}}},
      {107,
       "jdk.ObjectAllocationOutsideTLAB",
       {start,
        thread,
        stack,
        {"objectClass", "java.lang.Class", true},
        {"allocationSize", "long"}}},
      {108,
       "jdk.JavaMonitorEnter",
       {start, duration, thread, stack, {"monitorClass", "java.lang.Class", true}}},
      {109,
       "jdk.ThreadPark",
       {start, duration, thread, stack, {"parkedClass", "java.lang.Class", true}}},
      {110,
       "jdk.ActiveSetting",
       {start, {"id", "long"}, {"name", "java.lang.String"}, {"value", "java.lang.String"}}},
      {111,
       "jdk.JVMInformation",
       {start,
        {"jvmVersion", "java.lang.String"},
        {"javaArguments", "java.lang.String"},
        {"jvmStartTime", "long", false, false, "MILLISECONDS_SINCE_EPOCH"},
        {"pid", "long"}}},
      {112,
       "jdk.JavaMonitorWait",
       {start,
        duration,
        thread,
        stack,
        {"monitorClass", "java.lang.Class", true},
        {"timeout", "float"}}},
  };
  return kTypes;
}

const TypeFacts& TypeOf(std::string_view name) {
  const auto found = std::ranges::find(Types(), name, &TypeFacts::name);
  assert(found != Types().end());
  return *found;
}

size_t SizeOf(std::string_view type) {
  if (type == "boolean" || type == "byte") return 1;
  if (type == "short" || type == "char") return 2;
  return type == "int" ? 4 : 8;
}

}  // namespace

RecordingBuilder::RecordingBuilder(Options options) : options_(options) {}

int64_t RecordingBuilder::TypeId(std::string_view event) { return TypeOf(event).id; }

void RecordingBuilder::Integer(Bytes& into, uint64_t value, size_t size) const {
  if (size == 1) {
    into.push_back(static_cast<uint8_t>(value));
  } else if (!options_.compressed) {
    for (size_t i = size; i > 0; --i) into.push_back(static_cast<uint8_t>(value >> 8 * (i - 1)));
  } else {
    if (size < 8) value &= (uint64_t{1} << 8 * size) - 1;
    int count = 1;
    for (; value >= 0x80 && count < 9; value >>= 7, ++count)
      into.push_back(static_cast<uint8_t>(value | 0x80));
    into.push_back(static_cast<uint8_t>(value));
  }
}

void RecordingBuilder::Text(Bytes& into, std::string_view text) const {
  into.push_back(text.empty() ? 1 : 3);
  if (text.empty()) return;
  Integer(into, text.size(), 4);
  into.insert(into.end(), text.begin(), text.end());
}

int64_t RecordingBuilder::Constant(std::string_view type, const Bytes& value) {
  const auto [known, is_new] = constants_[std::string(type)].try_emplace(value, next_key_);
  if (is_new) unwritten_[std::string(type)].emplace_back(next_key_++, value);
  return known->second;
}

int64_t RecordingBuilder::Symbol(const std::string& text) {
  Bytes value;
  Text(value, text);
  return Constant("jdk.types.Symbol", value);
}

int64_t RecordingBuilder::Class(const std::string& name) {
  Bytes value;
  Integer(value, static_cast<uint64_t>(Symbol(name)), 8);
  Integer(value, 1, 4);
  return Constant("java.lang.Class", value);
}

int64_t RecordingBuilder::Method(const std::string& type, const std::string& name,
                                 const std::string& descriptor) {
  Bytes value;
  for (const int64_t key : {Class(type), Symbol(name), Symbol(descriptor)})
    Integer(value, static_cast<uint64_t>(key), 8);
  Integer(value, 0, 1);
  return Constant("jdk.types.Method", value);
}

int64_t RecordingBuilder::Thread(const std::string& name) {
  Bytes value;
  Text(value, "os " + name);
  Text(value, name);
  return Constant("java.lang.Thread", value);
}

int64_t RecordingBuilder::Stack(const std::vector<FrameFacts>& frames, bool truncated) {
  Bytes value;
  Integer(value, truncated ? 1 : 0, 1);
  Integer(value, frames.size(), 4);
  for (const FrameFacts& frame : frames) {
    Bytes kind;
    Text(kind, frame.kind);
    Integer(value, static_cast<uint64_t>(frame.method), 8);
    Integer(value, static_cast<uint64_t>(frame.line), 4);
    Integer(value, static_cast<uint64_t>(frame.bci), 4);
    Integer(value, static_cast<uint64_t>(Constant("jdk.types.FrameType", kind)), 8);
  }
  return Constant("jdk.types.StackTrace", value);
}

uint64_t RecordingBuilder::next() const { return kHeaderSize + events_.size(); }

// An event's size includes itself: it is written in four bytes, as HotSpot does.
uint64_t RecordingBuilder::Append(int64_t type, const Bytes& fields) {
  const uint64_t at = next();
  Bytes behind;
  Integer(behind, static_cast<uint64_t>(type), 8);
  behind.insert(behind.end(), fields.begin(), fields.end());
  const uint64_t size = behind.size() + 4;
  for (int i = 0; i < 4; ++i) {
    const uint64_t bits = options_.compressed ? size >> 7 * i : size >> 8 * (3 - i);
    const bool goes_on = options_.compressed && i < 3;
    events_.push_back(
        static_cast<uint8_t>(options_.compressed ? (bits & 0x7f) | (goes_on ? 0x80 : 0) : bits));
  }
  events_.insert(events_.end(), behind.begin(), behind.end());
  return at;
}

void RecordingBuilder::Event(std::string_view type, const std::vector<Value>& values) {
  const TypeFacts& facts = TypeOf(type);
  assert(values.size() == facts.fields.size());
  Bytes fields;
  for (size_t i = 0; i < values.size(); ++i) {
    if (const auto* const text = std::get_if<std::string>(&values[i])) {
      Text(fields, *text);
    } else if (facts.fields[i].type == "float") {
      fields.insert(fields.end(), 4, 0);
    } else {
      const size_t size = facts.fields[i].is_key ? 8 : SizeOf(facts.fields[i].type);
      Integer(fields, static_cast<uint64_t>(std::get<int64_t>(values[i])), size);
    }
  }
  Append(facts.id, fields);
}

void RecordingBuilder::Raw(const Bytes& bytes) {
  events_.insert(events_.end(), bytes.begin(), bytes.end());
}

void RecordingBuilder::Checkpoint() {
  Bytes fields;
  const uint64_t at = next();
  Integer(fields, 0, 8);
  Integer(fields, 0, 8);
  Integer(fields, last_checkpoint_ == 0 ? 0 : last_checkpoint_ - at, 8);
  Integer(fields, 1, 1);
  Integer(fields, unwritten_.size(), 4);
  for (const auto& [type, constants] : unwritten_) {
    Integer(fields, static_cast<uint64_t>(TypeOf(type).id), 8);
    Integer(fields, constants.size(), 4);
    for (const auto& [key, value] : constants) {
      Integer(fields, static_cast<uint64_t>(key), 8);
      fields.insert(fields.end(), value.begin(), value.end());
    }
  }
  unwritten_.clear();
  last_checkpoint_ = Append(1, fields);
}

void RecordingBuilder::Metadata() {
  std::vector<std::string> texts;
  const auto number_of = [&](std::string_view text) {
    const auto found = std::ranges::find(texts, text);
    if (found == texts.end()) texts.emplace_back(text);
    return static_cast<uint64_t>(std::ranges::find(texts, text) - texts.begin());
  };
  Bytes tree;
  using Attributes = std::vector<std::pair<std::string_view, std::string>>;
  const auto element = [&](std::string_view name, const Attributes& attributes, size_t children) {
    Integer(tree, number_of(name), 4);
    Integer(tree, attributes.size(), 4);
    for (const auto& [key, value] : attributes) {
      Integer(tree, number_of(key), 4);
      Integer(tree, number_of(value), 4);
    }
    Integer(tree, children, 4);
  };
  element("root", {}, 2);
  element("metadata", {}, Types().size());
  for (const TypeFacts& type : Types()) {
    element("class", {{"name", std::string(type.name)}, {"id", std::to_string(type.id)}},
            type.fields.size());
    for (const FieldFacts& field : type.fields) {
      Attributes attributes{{"name", std::string(field.name)},
                            {"class", std::to_string(TypeOf(field.type).id)}};
      if (field.is_key) attributes.emplace_back("constantPool", "true");
      if (field.is_array) attributes.emplace_back("dimension", "1");
      element("field", attributes, field.unit.empty() ? 0 : 1);
      if (!field.unit.empty()) element("annotation", {{"value", std::string(field.unit)}}, 0);
    }
  }
  element("region", {{"locale", "en_US"}}, 0);
  Bytes fields;
  for (int i = 0; i < 3; ++i) Integer(fields, 0, 8);
  Integer(fields, texts.size(), 4);
  for (const std::string& text : texts) Text(fields, text);
  fields.insert(fields.end(), tree.begin(), tree.end());
  metadata_ = Append(0, fields);
}

std::vector<uint8_t> RecordingBuilder::Finish() {
  if (!unwritten_.empty()) Checkpoint();
  Metadata();
  Bytes chunk{'F', 'L', 'R', 0, 0, 2, 0, 1};
  const auto put = [&](uint64_t value) {
    for (int i = 7; i >= 0; --i) chunk.push_back(static_cast<uint8_t>(value >> 8 * i));
  };
  put(next());
  put(last_checkpoint_);
  put(metadata_);
  put(uint64_t{1'764'000'000'000'000'000});  // 2025-11-24
  put(uint64_t{5'000'000'000});
  put(0);
  put(1'000'000);
  chunk.push_back(options_.finished ? 0 : 3);
  chunk.push_back(0);
  chunk.push_back(0);
  chunk.push_back(options_.compressed ? 1 : 0);
  chunk.insert(chunk.end(), events_.begin(), events_.end());
  return chunk;
}

}  // namespace iprof::jfr
