// data/decompress.cc: three libraries, one loop: input is refilled when used up, a stream may
// follow on a stream, and an end inside of one is damage.
#include "data/decompress.h"

#include <lzma.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "base/errors.h"
#include "base/try.h"

namespace godwit {

namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;
constexpr std::size_t kMagicBytes = 6;

// The bytes of a stream through a buffer, of which some can be seen before they are read.
class BufferedInput {
 public:
  explicit BufferedInput(std::unique_ptr<ByteStream> stream)
      : stream_(std::move(stream)), buffer_(kInputBytes) {}

  // Reads until `count` bytes are there, or the end is.
  Result<std::string_view> peek(std::size_t count) {
    while (size() < count && !at_end_) GODWIT_TRY(fill());
    return view();
  }
  Result<> fill() {
    if (begin_ == end_) begin_ = end_ = 0;
    GODWIT_TRY_ASSIGN(const std::size_t count,
                      stream_->read(std::span<char>(buffer_).subspan(end_)));
    end_ += count;
    at_end_ = count == 0;
    return {};
  }
  std::string_view view() const { return {buffer_.data() + begin_, size()}; }
  std::size_t size() const { return end_ - begin_; }
  bool at_end() const { return at_end_ && size() == 0; }
  void consume(std::size_t count) { begin_ += count; }

 private:
  std::unique_ptr<ByteStream> stream_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  bool at_end_ = false;
};

// What one call of a library did.
struct Step {
  std::size_t consumed = 0;
  std::size_t produced = 0;
  bool stream_ended = false;
  const char* damage = nullptr;
};

class Gzip {
 public:
  static constexpr std::string_view kName = "gzip";
  Gzip() { ready_ = inflateInit2(&state_, 15 + 16) == Z_OK; }
  ~Gzip() { inflateEnd(&state_); }
  Gzip(const Gzip&) = delete;
  Gzip& operator=(const Gzip&) = delete;

  bool ready() const { return ready_; }
  bool restart() { return inflateReset(&state_) == Z_OK; }
  Step step(std::string_view in, std::span<char> out, bool /*last*/) {
    // zlib's interface predates const.
    state_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    state_.avail_in = static_cast<uInt>(in.size());
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), 1U << 30));
    const auto before = state_.avail_out;
    const int code = inflate(&state_, Z_NO_FLUSH);
    Step step{.consumed = in.size() - state_.avail_in, .produced = before - state_.avail_out};
    step.stream_ended = code == Z_STREAM_END;
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
      step.damage = state_.msg != nullptr ? state_.msg : "bad data";
    }
    return step;
  }

 private:
  z_stream state_{};
  bool ready_ = false;
};

class Xz {
 public:
  static constexpr std::string_view kName = "xz";
  Xz() { ready_ = restart(); }
  ~Xz() { lzma_end(&state_); }
  Xz(const Xz&) = delete;
  Xz& operator=(const Xz&) = delete;

  bool ready() const { return ready_; }
  // 1 GiB covers what xz -9 needs (65 MiB) many times over; hostile headers could ask for 4 GiB.
  bool restart() {
    return lzma_stream_decoder(&state_, std::uint64_t{1} << 30, LZMA_TELL_UNSUPPORTED_CHECK) ==
           LZMA_OK;
  }
  Step step(std::string_view in, std::span<char> out, bool last) {
    state_.next_in = reinterpret_cast<const std::uint8_t*>(in.data());
    state_.avail_in = in.size();
    state_.next_out = reinterpret_cast<std::uint8_t*>(out.data());
    state_.avail_out = out.size();
    const lzma_ret code = lzma_code(&state_, last ? LZMA_FINISH : LZMA_RUN);
    Step step{.consumed = in.size() - state_.avail_in, .produced = out.size() - state_.avail_out};
    step.stream_ended = code == LZMA_STREAM_END;
    if (code == LZMA_MEMLIMIT_ERROR) step.damage = "needs more than 1 GiB to decompress";
    if (code == LZMA_FORMAT_ERROR || code == LZMA_OPTIONS_ERROR || code == LZMA_DATA_ERROR) {
      step.damage = "bad data";
    }
    if (code == LZMA_MEM_ERROR) step.damage = "out of memory";
    return step;
  }

 private:
  lzma_stream state_ = LZMA_STREAM_INIT;
  bool ready_ = false;
};

class Zstd {
 public:
  static constexpr std::string_view kName = "zstd";
  Zstd() : state_(ZSTD_createDStream()) {}
  ~Zstd() { ZSTD_freeDStream(state_); }
  Zstd(const Zstd&) = delete;
  Zstd& operator=(const Zstd&) = delete;

  bool ready() const { return state_ != nullptr; }
  bool restart() { return ZSTD_isError(ZSTD_initDStream(state_)) == 0; }
  Step step(std::string_view in, std::span<char> out, bool /*last*/) {
    ZSTD_inBuffer input{in.data(), in.size(), 0};
    ZSTD_outBuffer output{out.data(), out.size(), 0};
    const std::size_t code = ZSTD_decompressStream(state_, &output, &input);
    Step step{.consumed = input.pos, .produced = output.pos};
    if (ZSTD_isError(code) != 0) {
      step.damage = ZSTD_getErrorName(code);
    } else {
      step.stream_ended = code == 0;
    }
    return step;
  }

 private:
  ZSTD_DStream* state_;
};

template <class Library>
class Decompressing final : public ByteStream {
 public:
  Decompressing(std::string name, BufferedInput input)
      : name_(std::move(name)), input_(std::move(input)) {}

  Result<std::size_t> read(std::span<char> out) override {
    if (!library_.ready()) return out_of_memory("{}: no memory to decompress", name_);
    for (;;) {
      if (between_) {
        GODWIT_TRY_ASSIGN(const bool more, next_stream());
        if (!more) return std::size_t{0};
      }
      if (input_.size() == 0) GODWIT_TRY(input_.fill());
      const bool last = input_.at_end();
      const Step step = library_.step(input_.view(), out, last);
      input_.consume(step.consumed);
      if (step.damage != nullptr) {
        return corruption("{}: the {} data are damaged ({})", name_, Library::kName, step.damage);
      }
      between_ = step.stream_ended;
      if (step.produced > 0) return step.produced;
      if (last && !between_) {
        return corruption("{}: the {} data end too early: the file was cut", name_, Library::kName);
      }
    }
  }

 private:
  // False at the end of the file. Zeros after a stream are padding of tapes and of xz.
  Result<bool> next_stream() {
    for (;;) {
      if (input_.size() == 0) GODWIT_TRY(input_.fill());
      if (input_.at_end()) return false;
      const std::string_view view = input_.view();
      const std::size_t zeros = std::min(view.find_first_not_of('\0'), view.size());
      input_.consume(zeros);
      if (input_.size() > 0) break;
    }
    if (!library_.restart()) return out_of_memory("{}: no memory to decompress", name_);
    between_ = false;
    return true;
  }

  std::string name_;
  BufferedInput input_;
  Library library_;
  bool between_ = false;  // two streams
};

class Plain final : public ByteStream {
 public:
  explicit Plain(BufferedInput input) : input_(std::move(input)) {}

  Result<std::size_t> read(std::span<char> out) override {
    if (input_.size() == 0) GODWIT_TRY(input_.fill());
    const std::string_view view = input_.view();
    const std::size_t count = std::min(out.size(), view.size());
    std::memcpy(out.data(), view.data(), count);
    input_.consume(count);
    return count;
  }

 private:
  BufferedInput input_;
};

}  // namespace

Result<std::unique_ptr<ByteStream>> decompressed(std::string name,
                                                 std::unique_ptr<ByteStream> packed) {
  using namespace std::string_view_literals;
  BufferedInput input(std::move(packed));
  GODWIT_TRY_ASSIGN(const std::string_view head, input.peek(kMagicBytes));
  std::unique_ptr<ByteStream> stream;
  if (head.starts_with("\x1f\x8b"sv)) {
    stream = std::make_unique<Decompressing<Gzip>>(std::move(name), std::move(input));
  } else if (head.starts_with("\xfd"
                              "7zXZ\0"sv)) {
    stream = std::make_unique<Decompressing<Xz>>(std::move(name), std::move(input));
  } else if (head.starts_with("\x28\xb5\x2f\xfd"sv)) {
    stream = std::make_unique<Decompressing<Zstd>>(std::move(name), std::move(input));
  } else {
    stream = std::make_unique<Plain>(std::move(input));
  }
  return stream;
}

}  // namespace godwit
