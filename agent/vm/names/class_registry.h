// Class registry: which loaded types and methods go into the profile, and under which names.
//
// What goes in: every loaded class, interface and array type, and the methods of every class that
// is prepared (one that is not has no methods yet that anybody could have called). What stays out:
// hidden classes, because HotSpot's names for them differ from run to run, so that no image build
// could look them up; and whatever the JVM describes in a way we do not understand, which is
// counted.
//
// May be called on any thread attached to the JVM, in the live phase, VMDeath included. Other
// threads may load classes meanwhile; those may be missing. Takes no lock, runs no Java code.
#pragma once

#include <jvmti.h>

#include <cstdint>
#include <functional>
#include <string_view>

#include "agent/vm/names/proxy_names.h"
#include "writer/base/status.h"
#include "writer/model/model.h"
#include "writer/names/typed_names.h"

namespace iprof::vm {

struct RegistryCounts {
  int64_t hidden_classes = 0;    // left out by design
  int64_t left_out_classes = 0;  // gone meanwhile, or described in a way we do not understand
  int64_t left_out_methods = 0;
};

// Methods to leave out, by their class, name and descriptor.
using MethodFilter = std::function<bool(InternalName, std::string_view, std::string_view)>;

// Adds the types and methods to the profile, in an order that depends on their names alone; proxies
// under the names that ProxyNames gives them. Fails only where the JVM does not list its classes.
Result<RegistryCounts> AddLoadedClasses(jvmtiEnv* jvmti, JNIEnv* jni, const MethodFilter& leave_out,
                                        ProxyNames& proxies, Profile& profile);

}  // namespace iprof::vm
