// train/export_file.h: a file that is written bit by bit and appears whole or not at all. Owned by
// one thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/disk.h"
#include "godwit/result.h"

namespace godwit {

class ExportFile {
 public:
  // Writes to `path`.tmp until finish(). `disk` must outlive this.
  static Result<ExportFile> make(Disk& disk, std::string path);

  ExportFile(ExportFile&&) noexcept = default;
  // Removes what was not finished.
  ~ExportFile();

  // Errors name the path; a full disk is kUnavailable.
  Result<> add(std::string_view text);
  // All is on the disk under its own name; what was there before is replaced.
  Result<> finish();

 private:
  ExportFile(Disk& disk, std::string path, std::unique_ptr<DiskFile> file);
  Result<> flush();

  Disk* disk_;
  std::string path_;
  std::unique_ptr<DiskFile> file_;
  std::string buffer_;
};

}  // namespace godwit
