// HiddenClassCounting: what HiddenClasses tells of classes that no class-file
// hook sees, so that they can be counted.
//
// An interface, so that the room of names does not know how classes are
// counted. Any thread that may run Java code; no exception is left pending.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/instrument/table/class_table.h"

namespace iprof::vm {

// A hidden class before it is defined; the first name is the one in the bytes, both are internal.
struct HiddenClassBytes {
  std::string_view name;
  std::string_view profile_name;
  std::span<const uint8_t> bytes;
};

class HiddenClassCounting {
 public:
  virtual ~HiddenClassCounting() = default;

  // False: the bytes stay as they are. The class is held afterwards, if `*held`
  // says so, until HiddenClassDefined.
  virtual bool InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                                std::vector<uint8_t>* output,
                                std::optional<instrument::ClassId>* held) = 0;
  // What became of it: null where it was not defined with these bytes.
  virtual void HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                                  instrument::ClassId held) = 0;
  // A hidden class that was just defined and named; `strong`: it lives as long
  // as its loader.
  virtual void HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) = 0;
};

}  // namespace iprof::vm
