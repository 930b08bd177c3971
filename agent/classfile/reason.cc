#include "agent/classfile/reason.h"

namespace iprof::classfile {

const char* ReasonText(Reason reason) {
  switch (reason) {
#define X(name, text) \
  case Reason::name:  \
    return text;
    IPROF_CLASSFILE_REASONS(X)
#undef X
  }
  return "unknown reason";
}

const char* ReasonName(Reason reason) {
  switch (reason) {
#define X(name, text) \
  case Reason::name:  \
    return #name;
    IPROF_CLASSFILE_REASONS(X)
#undef X
  }
  return "?";
}

}  // namespace iprof::classfile
