// train/export_file.cc: buffered, synced, renamed.
#include "train/export_file.h"

#include <utility>

#include "base/try.h"

namespace godwit {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{1} << 20;

std::string dir_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

ExportFile::ExportFile(Disk& disk, std::string path, std::unique_ptr<DiskFile> file)
    : disk_(&disk), path_(std::move(path)), file_(std::move(file)) {}

Result<ExportFile> ExportFile::make(Disk& disk, std::string path) {
  GODWIT_TRY_ASSIGN(auto file, disk.open_write(path + ".tmp"));
  return ExportFile(disk, std::move(path), std::move(file));
}

ExportFile::~ExportFile() {
  if (!file_) return;
  file_.reset();
  (void)disk_->remove(path_ + ".tmp");  // nobody is left to be told
}

Result<> ExportFile::add(std::string_view text) {
  buffer_ += text;
  if (buffer_.size() < kBufferBytes) return {};
  return flush();
}

Result<> ExportFile::flush() {
  GODWIT_TRY(file_->append(std::as_bytes(std::span(buffer_))));
  buffer_.clear();
  return {};
}

Result<> ExportFile::finish() {
  GODWIT_TRY(flush());
  GODWIT_TRY(file_->sync());
  GODWIT_TRY(file_->close());
  GODWIT_TRY(disk_->rename(path_ + ".tmp", path_));
  file_.reset();
  return disk_->sync_dir(dir_of(path_));
}

}  // namespace godwit
