// godwit/groups.h: groups: tightly coupled ranks (one MPI job, for example) that act towards the
// tables as one client, and how their parameters are exchanged with the tables.
//
// A job with groups has table nodes, which are the first nodes (SessionOptions::servers), own all
// rows and have no workers; and the ranks of groups, which own none. Rank r of group g, of groups
// of n ranks, is node servers + g * n + r. With SessionOptions::rejoin_within set, ranks that were
// lost come back as new processes of the same id.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/result.h"

namespace godwit {

// Which rank of which group a node is.
struct GroupPlace {
  std::int64_t group = 0;  // from 0
  std::int64_t rank = 0;   // from 0 to size - 1
  std::int64_t size = 1;   // ranks of the group
  // Which start of the group this is: the same for all its ranks, and higher than that of the
  // start before. Ranks of different starts make no group.
  std::uint64_t incarnation = 0;

  friend bool operator==(const GroupPlace&, const GroupPlace&) = default;
};

// For how long a group may show no progress (Session::report_progress) and still count as live.
struct GroupPatience {
  double times = 20;                        // as often as its reports usually are apart
  std::chrono::milliseconds least{5'000};   // but never less than this,
  std::chrono::milliseconds first{60'000};  // and this as long as that is not known.
  // While the connection of one of its ranks is broken, no longer than this: it may come back, and
  // then counts again, but the others do not wait for that.
  std::chrono::milliseconds broken{1'000};
};

// Who is there, as this node was told last.
struct GroupsView {
  std::uint64_t version = 0;       // rises with every change
  std::vector<std::int64_t> live;  // groups, rising
  std::uint64_t round = 0;         // the sync round that was going on then; from 1 on
};

// How a table's rows and a group's come together. d = w - c is computed where the row is, so that
// nothing can come in between.
enum class ExchangeMode : std::uint8_t {
  kElastic,  // Rule::elastic(beta): c += alpha * d and w -= alpha * d, with alpha = beta / live
             // groups
  kOuter,    // Rule::outer(lr, mu): c takes an outer step by d, then w = c
  kAsync,    // other rules: a gradient is applied when it comes; w = c
  kSync,     // other rules: the sums of all live groups are added up in the order of groups,
             // divided by their samples and applied once; then w = c for all
};

// "elastic", "outer", "async" or "sync". Anything else is kInvalidArgument naming these.
Result<ExchangeMode> parse_exchange_mode(std::string_view text);
std::string to_string(ExchangeMode mode);

enum class ExchangeCodec : std::uint8_t {
  kFp32 = 0,  // as they are
  kBf16 = 1,
  kInt8 = 2,
  kTopK = 3,  // the largest few of each row, on the way to the table; bf16 on the way back
};

// How the numbers of an exchange travel. What is lost on the way is not lost to the sum: it stays
// where it was and goes with a later exchange of the same rows. Tables keep a copy of the rows for
// each rank that sends them in less than fp32. The first exchange of rows goes in fp32.
struct Compression {
  ExchangeCodec codec = ExchangeCodec::kFp32;
  float share = 0.01F;  // of the numbers of a row, for kTopK: above 0, at most 1

  // "fp32", "bf16", "int8" or "topk:0.01".
  static Result<Compression> parse(std::string_view text);

  friend bool operator==(const Compression&, const Compression&) = default;
};

std::string to_string(const Compression& compression);

struct ExchangeOptions {
  ExchangeMode mode = ExchangeMode::kElastic;
  Compression compression = {};

  // The rest is for kSync only. Which round the sums are for: first GroupsView::round of
  // join_group(), then ExchangeOutcome::next_round.
  std::uint64_t round = 0;
  // How many samples the sums are of: of all ranks, if they were added up in the group.
  std::uint64_t samples = 0;
  // This is the last exchange of this rank in the round. The group's part is complete when all its
  // ranks have said so; then others need not wait for it any longer.
  bool ends_round = true;
};

struct ExchangeOutcome {
  std::int64_t live_groups = 0;  // at the tables; the largest number that one of them knew
  // Of kElastic: the largest that was used. Of others 0.
  float alpha = 0;
  // Of kSync: the round that follows. If is_counted is false, ranks of a group may be told
  // different ones: they use the largest.
  std::uint64_t next_round = 0;
  // Of kSync: false if the round ended without this group, which had expired or was late. What it
  // has sent was dropped, for all rows alike; the values that came back are as good as others'.
  bool is_counted = true;
};

// An exchange that was begun and is to be waited for. Worth nothing to other workers.
class [[nodiscard]] ExchangeTicket {
 public:
  ExchangeTicket() = default;

 private:
  friend class Worker;
  explicit ExchangeTicket(std::uint64_t number) : number_(number) {}
  std::uint64_t number_ = 0;
};

}  // namespace godwit
