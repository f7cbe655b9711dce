// data/decompress.h: gzip, xz and zstd behind ByteStream. A stream is owned by one thread.
#pragma once

#include <memory>
#include <string>

#include "data/byte_stream.h"
#include "godwit/result.h"

namespace godwit {

// `packed` as it is, or what is in it if its first bytes say gzip, xz or zstd. `name` is for
// messages. kCorruption, from here or from read(): the compression is damaged or ends too early.
Result<std::unique_ptr<ByteStream>> decompressed(std::string name,
                                                 std::unique_ptr<ByteStream> packed);

}  // namespace godwit
