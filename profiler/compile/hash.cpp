#include "profiler/compile/hash.hpp"

#include <sha2.h>

namespace tilescope {

std::string sha256(std::string_view bytes) {
  char digits[SHA256_DIGEST_STRING_LENGTH];
  SHA256Data(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size(), digits);
  return digits;
}

}  // namespace tilescope
