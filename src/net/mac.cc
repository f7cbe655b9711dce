// net/mac.cc: calls of OpenSSL's libcrypto.
// Thread-safe.
#include "net/mac.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/rand.h>

#include "base/check.h"

namespace godwit {

Mac hmac_sha256(std::string_view key, std::span<const std::byte> message) {
  GODWIT_CHECK(!key.empty());
  Mac mac{};
  std::size_t size = 0;
  const unsigned char* done =
      EVP_Q_mac(nullptr, "HMAC", nullptr, "SHA256", nullptr, key.data(), key.size(),
                reinterpret_cast<const unsigned char*>(message.data()), message.size(),
                reinterpret_cast<unsigned char*>(mac.data()), mac.size(), &size);
  GODWIT_CHECK(done != nullptr);  // fails only where libcrypto lacks SHA-256 or has no memory
  GODWIT_CHECK_EQ(size, mac.size());
  return mac;
}

bool equal_in_constant_time(std::span<const std::byte> a, std::span<const std::byte> b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool fill_with_random(std::span<std::byte> bytes) {
  return RAND_bytes(reinterpret_cast<unsigned char*>(bytes.data()),
                    static_cast<int>(bytes.size())) == 1;
}

}  // namespace godwit
