// bench/patterns.h: which rows the workers of a job touch in which step, as programs of several
// kinds do. Pure functions of (seed, node, worker, step). Thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "godwit/ids.h"
#include "godwit/result.h"
#include "godwit/table_spec.h"

namespace godwit {

enum class PatternKind : std::uint8_t {
  kMf,        // matrix factorization: own users, items of all from Zipf(0.8)
  kMfBlocks,  // the same with blocks of items that rotate over the workers (DSGD)
  kKge,       // ComplEx: entities from Zipf(1), relations, uniform negative samples
  kStream,    // every row once, and not again soon
  kReuse,     // a working set that changes slowly, a tenth of it shared by all nodes
  kResident,  // rows whose home is the node, and nobody else touches
};

// "mf", "mf_blocks", "kge", "stream", "reuse", "resident".
Result<PatternKind> parse_pattern(std::string_view text);
std::string to_string(PatternKind kind);

struct PatternOptions {
  PatternKind kind = PatternKind::kKge;
  std::int64_t nodes = 2;
  std::int64_t workers = 1;  // of each node
  std::size_t batch = 1;     // ratings, triples or rows of one step
  double scale = 1;          // of the number of rows
  std::uint64_t seed = 1;

  // Values 1 .. max of nodes, workers and batch; enough rows for all workers.
  Result<> validate() const;
};

class Pattern {
 public:
  virtual ~Pattern() = default;

  // One table has all rows.
  virtual std::uint64_t rows() const = 0;
  virtual std::uint32_t row_length() const = 0;
  virtual Rule rule() const { return Rule::add(); }
  // From here to the end, the values of a row count how often it was touched; before, they are
  // what the program works on.
  virtual std::uint32_t first_counter() const { return row_length() - 1; }

  // All rows are written before the first step; else they are zeros that take no memory.
  virtual bool starts_written() const { return true; }

  virtual std::size_t keys_per_step() const = 0;
  // The keys of one step of one worker. REQUIRES: keys.size() == keys_per_step().
  virtual void draw(std::int64_t node, std::int64_t worker, std::uint64_t step,
                    std::span<Key> keys) const = 0;
};

// REQUIRES: options.validate() is ok.
std::unique_ptr<Pattern> make_pattern(const PatternOptions& options);

// The keys of all workers of all nodes, drawn before anything is timed.
class Trace {
 public:
  Trace(const Pattern& pattern, const PatternOptions& options, std::size_t steps);

  std::size_t steps() const { return steps_; }
  std::span<const Key> keys(std::int64_t node, std::int64_t worker, std::size_t step) const;
  // How often each row is touched if every worker makes the first `steps` steps.
  std::vector<std::uint32_t> touches(std::uint64_t rows, std::size_t steps) const;

 private:
  std::int64_t workers_;
  std::size_t steps_;
  std::size_t keys_per_step_;
  std::vector<std::vector<Key>> keys_;  // by node and worker
};

}  // namespace godwit
