// Class registry: which loaded types and methods go into the profile, and under which names.
//
// What goes in: every loaded class, interface and array type, and the methods of every prepared
// class. (A class that is not prepared has no methods that could have been called.) What stays out:
// hidden classes without a stable name, because HotSpot's names for them differ from run to run and
// no image build could look them up; and everything that the JVM describes in a way that we do not
// understand, which is counted.
//
// Guarantees: takes no lock and runs no Java code.
// Threads: any attached thread in the live phase, including VMDeath. Classes that other threads
// load during the call may be missing.
// Failure: a Status if the JVM does not list its classes.
#pragma once

#include <jvmti.h>

#include <cstdint>

#include "agent/vm/classes/names/proxy_names.h"
#include "agent/vm/jvmti/class_source.h"
#include "writer/base/status.h"
#include "writer/profile/model.h"
#include "writer/records/declared_class.h"

namespace iprof::vm {

struct RegistryCounts {
  int64_t hidden_classes = 0;  // left out on purpose
  // unloaded during the call, or described in a way that we do not understand
  int64_t left_out_classes = 0;
  int64_t left_out_methods = 0;
};

// Adds the types and methods to the profile. Their order depends only on their names. Proxies have
// the names that ProxyNames gives them.
Result<RegistryCounts> AddLoadedClasses(const ClassSource& source, jvmtiEnv* jvmti, JNIEnv* jni,
                                        const MethodFilter& leave_out, ProxyNames& proxies,
                                        Profile& profile);

}  // namespace iprof::vm
