// group/mpi_group.cc: messages of MPI. The only file that knows its header.
#include "group/mpi_group.h"

#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/mutex.h"
#include "base/try.h"
#include "group/patience.h"
#include "group/shared_exchanger.h"

namespace godwit {
namespace {

// Instead of a message: that a rank gave up. No other message has this length, which is odd.
struct Notice {
  static constexpr std::size_t kBytes = 253;
  std::array<char, kBytes> text{};  // ends with a zero
};

// Where a short message lands first, so that a notice in its place is read in full.
constexpr std::size_t kShortBytes = 256;

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

Result<> checked(int code, const char* what) {
  if (code == MPI_SUCCESS) return {};
  return unavailable("{}: {}", what, text_of(code));
}

class MpiExchanger final : public Exchanger {
 public:
  // Takes the communicator.
  MpiExchanger(Mutex& mutex, bool& has_failed, MPI_Comm communicator, int rank, int size)
      : mutex_(mutex),
        has_failed_(has_failed),
        communicator_(communicator),
        rank_(rank),
        size_(size) {}
  ~MpiExchanger() override {
    // Freeing is a call of all ranks. After a failure it would not return, and MPI is over anyway.
    MutexLock lock(mutex_);
    if (!is_broken_) MPI_Comm_free(&communicator_);
  }
  MpiExchanger(const MpiExchanger&) = delete;
  MpiExchanger& operator=(const MpiExchanger&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  Result<Transfer> send(int peer, std::span<const std::byte> bytes) override {
    MutexLock lock(mutex_);
    const Transfer transfer = take_slot(peer, bytes.size(), true);
    GODWIT_TRY(checked(MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, peer, kTag,
                                 communicator_, &begun_[transfer].request),
                       "sending"));
    return transfer;
  }

  Result<Transfer> receive(int peer, std::span<std::byte> bytes) override {
    MutexLock lock(mutex_);
    const Transfer transfer = take_slot(peer, bytes.size(), false);
    Begun& begun = begun_[transfer];
    const bool is_short = bytes.size() < kShortBytes;
    begun.landing = bytes.data();
    if (is_short && begun.room == nullptr) {
      begun.room = std::make_unique<std::array<std::byte, kShortBytes>>();
    }
    void* to = is_short ? begun.room->data() : bytes.data();
    const auto length = static_cast<int>(is_short ? kShortBytes : bytes.size());
    GODWIT_TRY(checked(MPI_Irecv(to, length, MPI_BYTE, peer, kTag, communicator_, &begun.request),
                       "receiving"));
    return transfer;
  }

  Result<> wait(Transfer transfer, Time deadline) override {
    Begun& begun = begun_[transfer];
    MPI_Status status;
    for (Patience patience(time_, deadline, false);;) {
      int is_done = 0;
      int code = MPI_SUCCESS;
      {
        MutexLock lock(mutex_);
        code = MPI_Test(&begun.request, &is_done, &status);
      }
      if (code != MPI_SUCCESS) return failed_test(begun, code);
      if (is_done != 0) break;
      if (patience.goes_on()) continue;
      return timeout("rank {} does not {}", begun.peer, begun.is_send ? "receive" : "send");
    }
    if (!begun.is_send) GODWIT_TRY(check_arrival(begun, status));
    free_.push_back(transfer);
    return {};
  }

  void poke() override {
    MutexLock lock(mutex_);
    int is_there = 0;
    MPI_Iprobe(MPI_ANY_SOURCE, kTag, communicator_, &is_there, MPI_STATUS_IGNORE);
  }

  void abandon(const Error& why) override {
    MutexLock lock(mutex_);
    if (is_broken_) return;
    is_broken_ = true;
    has_failed_ = true;
    cancel_receives();
    fmt::format_to_n(notice_.text.data(), Notice::kBytes - 1, "{}", why.message());
    for (int peer = 0; peer < size_; ++peer) {
      if (peer == rank_) continue;
      // Short, so it is on its way at once, whether or not somebody ever takes it.
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Isend(notice_.text.data(), static_cast<int>(Notice::kBytes), MPI_BYTE, peer, kTag,
                communicator_, &request);
      if (request != MPI_REQUEST_NULL) MPI_Request_free(&request);
    }
  }

 private:
  struct Begun {
    MPI_Request request = MPI_REQUEST_NULL;
    int peer = 0;
    bool is_send = false;
    std::byte* landing = nullptr;
    std::size_t length = 0;
    std::unique_ptr<std::array<std::byte, kShortBytes>> room;
  };

  static constexpr int kTag = 1;

  Transfer take_slot(int peer, std::size_t length, bool is_send) {
    GODWIT_CHECK(peer != rank_ && 0 <= peer && peer < size_ && length > 0);
    if (free_.empty()) {
      begun_.emplace_back();
      free_.push_back(static_cast<Transfer>(begun_.size() - 1));
    }
    const Transfer transfer = free_.back();
    free_.pop_back();
    begun_[transfer].peer = peer;
    begun_[transfer].length = length;
    begun_[transfer].is_send = is_send;
    return transfer;
  }

  static Error failed_test(const Begun& begun, int code) {
    int kind = MPI_ERR_OTHER;
    MPI_Error_class(code, &kind);
    if (kind == MPI_ERR_TRUNCATE) {
      return aborted("rank {} sent more than the {} bytes that are meant: it is at another call",
                     begun.peer, begun.length);
    }
    return unavailable("exchanging with rank {}: {}", begun.peer, text_of(code));
  }

  Result<> check_arrival(Begun& begun, const MPI_Status& status) {
    int count = 0;
    {
      MutexLock lock(mutex_);
      MPI_Get_count(&status, MPI_BYTE, &count);
    }
    const bool is_short = begun.length < kShortBytes;
    const std::byte* from = is_short ? begun.room->data() : begun.landing;
    if (static_cast<std::size_t>(count) == begun.length) {
      if (is_short) std::memcpy(begun.landing, from, begun.length);
      return {};
    }
    if (count == static_cast<int>(Notice::kBytes)) {
      return aborted("rank {} gave up: {}", begun.peer, reinterpret_cast<const char*>(from));
    }
    return aborted("rank {} sent {} bytes where {} are meant: it is at another call", begun.peer,
                   count, begun.length);
  }

  // What is still to be received would be written to memory that is the caller's again.
  void cancel_receives() GODWIT_REQUIRES(mutex_) {
    for (Begun& begun : begun_) {
      if (begun.request == MPI_REQUEST_NULL) continue;
      if (!begun.is_send) MPI_Cancel(&begun.request);
      MPI_Request_free(&begun.request);
    }
  }

  Mutex& mutex_;
  bool& has_failed_;
  MPI_Comm communicator_;
  const int rank_;
  const int size_;
  const RealTime time_;
  bool is_broken_ = false;
  Notice notice_;
  std::vector<Begun> begun_;
  std::vector<Transfer> free_;
};

// Memory that the ranks of a host share.
class HostMemory {
 public:
  HostMemory() = default;
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  // A call of all ranks, which waits for them.
  void free() {
    if (window_ != MPI_WIN_NULL) MPI_Win_free(&window_);
    if (host_ != MPI_COMM_NULL) MPI_Comm_free(&host_);
  }

  // Where the memory of each rank is; null for those of other hosts. A call of all ranks.
  Result<std::vector<std::byte*>> share(int rank, int size) {
    GODWIT_TRY(checked(
        MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &host_),
        "finding the ranks of this host"));
    const std::size_t bytes = SharedLinks::memory_bytes(size) + kLineBytes;
    void* ours = nullptr;
    GODWIT_TRY(checked(MPI_Win_allocate_shared(static_cast<MPI_Aint>(bytes), 1, MPI_INFO_NULL,
                                               host_, &ours, &window_),
                       "sharing memory"));
    GODWIT_TRY_ASSIGN(const auto local, ranks_of_host(rank));
    std::vector<std::byte*> places(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < local.size(); ++i) {
      MPI_Aint length = 0;
      int unit = 0;
      void* at = nullptr;
      GODWIT_TRY(checked(MPI_Win_shared_query(window_, static_cast<int>(i), &length, &unit, &at),
                         "finding shared memory"));
      places[static_cast<std::size_t>(local[i])] = aligned(at);
    }
    // All must be ready before anybody uses one of them.
    SharedLinks::clear(aligned(ours), size);
    GODWIT_TRY(checked(MPI_Barrier(host_), "waiting for the ranks of this host"));
    return places;
  }

 private:
  static constexpr std::size_t kLineBytes = kCacheLineSize;

  static std::byte* aligned(void* at) {
    const auto address = reinterpret_cast<std::uintptr_t>(at);
    return reinterpret_cast<std::byte*>((address + kLineBytes - 1) / kLineBytes * kLineBytes);
  }
  Result<std::vector<int>> ranks_of_host(int rank) {
    int count = 0;
    GODWIT_TRY(checked(MPI_Comm_size(host_, &count), "counting the ranks of this host"));
    std::vector<int> ranks(static_cast<std::size_t>(count));
    GODWIT_TRY(checked(MPI_Allgather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, host_),
                       "gathering the ranks of this host"));
    return ranks;
  }

  MPI_Comm host_ = MPI_COMM_NULL;
  MPI_Win window_ = MPI_WIN_NULL;
};

class RealMpi final : public MpiRuntime {
 public:
  explicit RealMpi(bool is_ours) : is_ours_(is_ours) {
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
  }
  ~RealMpi() override {
    // Not after a failure: these would wait for ranks that do not come.
    if (has_failed_) return;
    for (const auto& memory : memories_) memory->free();
    if (is_ours_) MPI_Finalize();
  }
  RealMpi(const RealMpi&) = delete;
  RealMpi& operator=(const RealMpi&) = delete;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  std::string version() const override {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
    int length = 0;
    MPI_Get_library_version(text.data(), &length);
    const std::string all(text.data(), static_cast<std::size_t>(length));
    return all.substr(0, all.find_first_of(",\n"));
  }

  Result<std::unique_ptr<Exchanger>> exchanger() override {
    MutexLock lock(mutex_);
    MPI_Comm own = MPI_COMM_NULL;
    GODWIT_TRY(checked(MPI_Comm_dup(MPI_COMM_WORLD, &own), "making a communicator"));
    GODWIT_TRY(checked(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "setting errors"));
    const auto memory = std::make_shared<HostMemory>();
    memories_.push_back(memory);
    GODWIT_TRY_ASSIGN(auto places, memory->share(rank_, size_));
    auto messages = std::make_unique<MpiExchanger>(mutex_, has_failed_, own, rank_, size_);
    return with_shared_memory(std::move(messages), std::move(places), memory);
  }

  Result<> plain_allreduce(std::span<float> values) override {
    MutexLock lock(mutex_);
    return checked(MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()),
                                 MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD),
                   "MPI_Allreduce");
  }
  Result<> plain_barrier() override {
    MutexLock lock(mutex_);
    return checked(MPI_Barrier(MPI_COMM_WORLD), "MPI_Barrier");
  }

 private:
  Mutex mutex_;  // held inside of MPI
  bool has_failed_ = false;
  const bool is_ours_;
  std::vector<std::shared_ptr<HostMemory>> memories_;  // of all exchangers so far
  int rank_ = 0;
  int size_ = 0;
};

}  // namespace

Result<std::unique_ptr<MpiRuntime>> MpiRuntime::begin() {
  int is_begun = 0;
  MPI_Initialized(&is_begun);
  int level = MPI_THREAD_SINGLE;
  if (is_begun != 0) {
    MPI_Query_thread(&level);
  } else {
    GODWIT_TRY(
        checked(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level), "beginning MPI"));
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  if (level < MPI_THREAD_SERIALIZED) {
    return unavailable("this MPI may be used by one thread only; a group has two");
  }
  return std::unique_ptr<MpiRuntime>(std::make_unique<RealMpi>(is_begun == 0));
}

}  // namespace godwit
