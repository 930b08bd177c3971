// Descriptors and names of any shape give a name, UTF-8, or nothing.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "writer/names/type_names.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto name = iprof::TypeNameOf(iprof::Descriptor(text));
  if (name && name->empty()) std::abort();
  const auto signature = iprof::SignatureOf(text);
  if (signature && signature->empty()) std::abort();
  const std::string utf8 = iprof::ToUtf8(text);
  if (utf8.size() > size) std::abort();
  return 0;
}
