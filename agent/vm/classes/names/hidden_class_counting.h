// HiddenClassCounting: what HiddenClasses reports about classes that no class-file hook sees, so
// that they can be counted.
//
// It is an interface, so that the room `names` does not know how classes are counted.
//
// Guarantees: no exception is left pending. Threads: any thread that may run Java code. Failure:
// the original bytes are used.
#pragma once

#include <jni.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "agent/instrument/table/class_table.h"

namespace iprof::vm {

// A hidden class before it is defined. Both names are internal; the first one is the name in the
// bytes.
struct HiddenClassBytes {
  std::string_view name;
  std::string_view profile_name;
  std::span<const uint8_t> bytes;
};

class HiddenClassCounting {
 public:
  virtual ~HiddenClassCounting() = default;

  // Returns false if the bytes stay as they are. If it sets `*held`, the class is held until
  // HiddenClassDefined.
  virtual bool InstrumentHidden(JNIEnv* jni, jobject loader, const HiddenClassBytes& input,
                                std::vector<uint8_t>* output,
                                std::optional<instrument::ClassId>* held) = 0;
  // Reports the result: null if the class was not defined with these bytes.
  virtual void HiddenClassDefined(JNIEnv* jni, jobject loader, jclass defined,
                                  instrument::ClassId held) = 0;
  // Reports a hidden class that was just defined and named. `strong`: it lives as long as its
  // loader.
  virtual void HiddenClassNamed(JNIEnv* jni, jclass type, bool strong) = 0;
};

}  // namespace iprof::vm
