// store/checkpoint_dir_test.cc: whatever a crash leaves, one can be loaded.
#include "store/checkpoint_dir.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "base/errors.h"
#include "base/memory_disk.h"
#include "base/try.h"
#include "store/checkpoint_state.h"
#include "store/manifest.h"
#include "store/row_shard.h"

namespace godwit {
namespace {

// Passes calls that change something on to another disk until so many were made; then all fail.
class FailingDisk final : public Disk {
 public:
  FailingDisk(Disk& disk, int changes) : disk_(disk), left_(changes) {}
  bool has_failed() const { return left_ < 0; }

  Result<std::unique_ptr<DiskFile>> open_write(const std::string& path) override {
    GODWIT_TRY(count());
    GODWIT_TRY_ASSIGN(auto file, disk_.open_write(path));
    return std::unique_ptr<DiskFile>(std::make_unique<File>(*this, std::move(file)));
  }
  Result<std::unique_ptr<DiskFile>> open_append(const std::string& path) override {
    return disk_.open_append(path);
  }
  Result<std::vector<std::byte>> read(const std::string& path) override { return disk_.read(path); }
  Result<> read_range(const std::string& path, std::uint64_t offset,
                      std::span<std::byte> out) override {
    return disk_.read_range(path, offset, out);
  }
  Result<std::uint64_t> size(const std::string& path) override { return disk_.size(path); }
  Result<std::vector<std::string>> list(const std::string& dir) override { return disk_.list(dir); }
  Result<> make_dirs(const std::string& dir) override {
    GODWIT_TRY(count());
    return disk_.make_dirs(dir);
  }
  Result<bool> make_new_dir(const std::string& dir) override {
    GODWIT_TRY(count());
    return disk_.make_new_dir(dir);
  }
  Result<> make_link(const std::string& target, const std::string& path) override {
    GODWIT_TRY(count());
    return disk_.make_link(target, path);
  }
  Result<std::string> read_link(const std::string& path) override { return disk_.read_link(path); }
  Result<> rename(const std::string& from, const std::string& to) override {
    GODWIT_TRY(count());
    return disk_.rename(from, to);
  }
  Result<> remove(const std::string& path) override {
    GODWIT_TRY(count());
    return disk_.remove(path);
  }
  Result<> sync_dir(const std::string& dir) override {
    GODWIT_TRY(count());
    return disk_.sync_dir(dir);
  }
  Result<std::uint64_t> free_space(const std::string& path) override {
    return disk_.free_space(path);
  }

 private:
  class File final : public DiskFile {
   public:
    File(FailingDisk& disk, std::unique_ptr<DiskFile> file) : disk_(disk), file_(std::move(file)) {}
    Result<> append(std::span<const std::byte> bytes) override {
      // A write that is cut off leaves its first half.
      if (const auto counted = disk_.count(); !counted.ok()) {
        (void)file_->append(bytes.first(bytes.size() / 2)).ok();
        return counted;
      }
      return file_->append(bytes);
    }
    Result<> sync() override {
      GODWIT_TRY(disk_.count());
      return file_->sync();
    }
    Result<> close() override { return file_->close(); }

   private:
    FailingDisk& disk_;
    std::unique_ptr<DiskFile> file_;
  };

  Result<> count() {
    if (left_ >= 0) --left_;
    if (left_ < 0) return unavailable("the disk is full");
    return {};
  }

  Disk& disk_;
  int left_;
};

const std::vector<Key> kKeys{2, 3, 5};

// A checkpoint of one table whose values are all `value`.
Result<> save(Disk& disk, std::int64_t step, float value, std::int64_t keep = 3) {
  CheckpointDir dir(disk, "ckpt");
  GODWIT_TRY(dir.begin(step));
  Manifest manifest{.step = step, .notes = {{{"value", std::to_string(value)}}}};
  manifest.tables.push_back({.spec = {.name = "t", .rows = 9, .row_length = 2}, .shards = {}});
  const std::string tmp = dir.tmp_path(step) + "/";
  GODWIT_TRY_ASSIGN(
      const FileSum sum,
      write_shard(disk, tmp + shard_name("t", 0, 1), {.rows = 3, .row_length = 2}, kKeys,
                  [&](std::span<const Key>, ShardPart, std::span<float> floats) {
                    std::fill(floats.begin(), floats.end(), value);
                  }));
  manifest.tables[0].shards.push_back({.rows = 3, .sum = sum});
  GODWIT_TRY_ASSIGN(const std::string text, to_json(manifest));
  GODWIT_TRY(write_file(disk, tmp + "manifest.json", text));
  GODWIT_TRY(dir.commit(step));
  GODWIT_TRY(dir.prune(keep));
  return {};
}

// The value of the first one that is whole, as a job would choose it.
Result<float> load(const std::shared_ptr<Disk>& disk) {
  const CheckpointDir dir(*disk, "ckpt");
  GODWIT_TRY_ASSIGN(const auto entries, dir.list());
  for (const auto& entry : entries) {
    const auto state = CheckpointState::open(disk, dir.path_of(entry.name));
    if (!state.ok()) continue;
    const CheckpointReader reader = CheckpointState::reader_of(*state);
    if (!reader.verify().ok()) continue;
    float value = 0;
    GODWIT_TRY(reader.for_each_row(
        "t", [&](Key, std::span<const float> row, std::span<const float>) { value = row[1]; }));
    EXPECT_EQ(reader.notes().entries.at("value"), std::to_string(value));
    return value;
  }
  return not_found("none");
}

// Saves the second checkpoint with a disk that fails at each of its writes in turn. What is loaded
// then is the first or the second, and a later save succeeds. With `crashes`, what was not synced
// is lost too.
void fail_everywhere(std::int64_t first_step, std::int64_t second_step, bool crashes,
                     std::int64_t keep) {
  bool has_passed = false;
  int changes = 0;
  for (; !has_passed; ++changes) {
    ASSERT_LT(changes, 200);
    SCOPED_TRACE(changes);
    const auto disk = std::make_shared<MemoryDisk>();
    save(*disk, first_step, 1, keep).value();
    FailingDisk failing(*disk, changes);
    const auto saved = save(failing, second_step, 2, keep);
    has_passed = !failing.has_failed();
    if (crashes) disk->crash();
    const auto loaded = load(disk);
    ASSERT_TRUE(loaded.ok()) << loaded.error().message();
    EXPECT_TRUE(*loaded == 1 || *loaded == 2);
    if (saved.ok()) {
      EXPECT_EQ(*loaded, 2);
    }
    const auto again = save(*disk, second_step + 1, 3, keep);
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(load(disk).value(), 3);
    for (const auto& name : disk->list("ckpt").value()) {
      EXPECT_FALSE(name.ends_with(".tmp")) << name;
    }
  }
  EXPECT_GT(changes, 10);
}

TEST(CheckpointDir, KilledAtAnyWriteThePreviousOneIsThere) {
  for (const bool crashes : {false, true}) {
    fail_everywhere(1, 2, crashes, 3);
    fail_everywhere(1, 2, crashes, 1);  // with the first one removed in the end
  }
}

TEST(CheckpointDir, ReplacingOneOfTheSameStepLosesNothing) {
  for (const bool crashes : {false, true}) fail_everywhere(5, 5, crashes, 3);
}

TEST(CheckpointDir, ADamagedByteAnywhereMakesThePreviousOneUsed) {
  const auto disk = std::make_shared<MemoryDisk>();
  save(*disk, 1, 1).value();
  save(*disk, 2, 2).value();
  const std::string folder = "ckpt/step-00000002";
  for (const std::string& name : disk->list(folder).value()) {
    const std::string path = folder + "/" + name;
    const auto good = disk->read(path).value();
    for (std::size_t at = 0; at < good.size(); ++at) {
      auto bad = good;
      bad[at] ^= std::byte{4};
      disk->open_write(path).value()->append(bad).value();
      ASSERT_EQ(load(disk).value(), 1) << name << " byte " << at;
    }
    disk->open_write(path).value()->append(std::span(good).first(good.size() - 1)).value();
    EXPECT_EQ(load(disk).value(), 1) << name << " cut off";
    disk->remove(path).value();
    EXPECT_EQ(load(disk).value(), 1) << name << " missing";
    disk->open_write(path).value()->append(good).value();
    EXPECT_EQ(load(disk).value(), 2);
  }
}

TEST(CheckpointDir, KeepsTheNewestAndTheLatest) {
  const auto disk = std::make_shared<MemoryDisk>();
  for (const std::int64_t step : {1, 2, 30, 4}) save(*disk, step, static_cast<float>(step)).value();
  const CheckpointDir dir(*disk, "ckpt");
  std::vector<std::string> names;
  for (const auto& entry : dir.list().value()) names.push_back(entry.name);
  EXPECT_EQ(names, (std::vector<std::string>{"step-00000004", "step-00000030", "step-00000002"}));
  EXPECT_EQ(load(disk).value(), 4) << "the one that was written last, not the highest";
  EXPECT_EQ(CheckpointDir(*disk, "ckpt").prune(0).error().code(), ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace godwit
