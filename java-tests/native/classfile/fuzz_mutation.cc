#include "java-tests/native/classfile/fuzz_mutation.h"

#include <algorithm>

#include "java-tests/native/classfile/class_mutator.h"

namespace iprof::classfile {

size_t MutateChosenClass(uint8_t* data, size_t size, size_t most, size_t prefix, uint64_t seed,
                         AnyMutator anyhow) {
  RandomNumbers random(seed);
  if (size <= prefix || random.OneIn(8)) return anyhow(data, size, most);
  if (random.OneIn(4)) {
    uint8_t& chosen = data[random.Next(static_cast<uint32_t>(prefix))];
    chosen = static_cast<uint8_t>(random.Next(256));
  }
  ByteVector bytes(data + prefix, data + size);
  if (!ClassMutator(random).Mutate(bytes, most - prefix)) return anyhow(data, size, most);
  std::copy(bytes.begin(), bytes.end(), data + prefix);
  return prefix + bytes.size();
}

}  // namespace iprof::classfile
