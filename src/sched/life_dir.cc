// sched/life_dir.cc: small files that appear at once or not at all.
#include "sched/life_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/errors.h"
#include "base/replace_file.h"
#include "base/try.h"
#include "launch/process_table.h"

namespace godwit {
namespace {

using Json = nlohmann::json;

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// Nothing if there is no such process, or it has ended.
std::optional<ProcessEntry> process_of(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  std::stringstream text;
  text << file.rdbuf();
  auto entry = parse_process_stat(text.str());
  if (!entry || entry->is_zombie) return std::nullopt;
  return entry;
}

std::string this_host() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) return "";
  return host.data();
}

}  // namespace

std::string LifeSpec::to_json() const {
  Json json{{"job", job}, {"cwd", cwd}, {"new_run", new_run}, {"stop", stop_command}};
  json["processes"] = Json::array();
  for (const LifeProcess& process : processes) {
    Json variables = Json::object();
    for (const auto& [name, value] : process.environment) variables[name] = value;
    json["processes"].push_back({{"command", process.command}, {"environment", variables}});
  }
  return json.dump(1, ' ', true, Json::error_handler_t::replace);
}

Result<LifeSpec> LifeSpec::parse(std::string_view text) {
  try {
    const Json json = Json::parse(text);
    LifeSpec spec{.job = json.at("job"), .cwd = json.at("cwd"), .new_run = json.at("new_run")};
    spec.stop_command = json.at("stop").get<std::vector<std::string>>();
    for (const Json& one : json.at("processes")) {
      LifeProcess process{.command = one.at("command")};
      for (const auto& [name, value] : one.at("environment").items()) {
        process.environment[name] = value;
      }
      spec.processes.push_back(std::move(process));
    }
    return spec;
  } catch (const Json::exception& error) {
    return corruption("not a life's spec: {}", error.what());
  }
}

LifeClaim claim_of_this_process() {
  const auto entry = process_of(getpid());
  return {.pid = getpid(),
          .start = entry ? entry->start : 0,
          .boot = first_line_of("/proc/sys/kernel/random/boot_id"),
          .host = this_host()};
}

bool is_alive(const LifeClaim& claim) {
  if (claim.is_void() || claim.boot != first_line_of("/proc/sys/kernel/random/boot_id")) {
    return false;
  }
  const auto entry = process_of(claim.pid);
  return entry && entry->start == claim.start;
}

Result<> LifeDir::write_spec(const LifeSpec& spec) {
  GODWIT_TRY(disk_->make_dirs(path_));
  if (disk_->size(file("spec")).ok()) return {};
  return replace_file(*disk_, file("spec"), spec.to_json());
}

Result<std::optional<std::string>> LifeDir::read_text(const char* name) const {
  auto bytes = disk_->read(file(name));
  if (!bytes.ok()) {
    if (bytes.error().code() == ErrorCode::kNotFound) return std::optional<std::string>();
    return std::move(bytes).error();
  }
  return std::optional(std::string(reinterpret_cast<const char*>(bytes->data()), bytes->size()));
}

Result<LifeSpec> LifeDir::read_spec() const {
  GODWIT_TRY_ASSIGN(const auto text, read_text("spec"));
  if (!text) return not_found("{} has no spec", path_);
  return LifeSpec::parse(*text);
}

Result<bool> LifeDir::claim(const LifeClaim& claim) {
  // A name for a file that is whole already: link() fails for all but the first.
  const std::string mine = fmt::format("{}.{}.{}", file("claim"), claim.host, getpid());
  const std::string text =
      fmt::format("{} {} {} {}\n", claim.pid, claim.start, claim.boot.empty() ? "-" : claim.boot,
                  claim.host.empty() ? "-" : claim.host);
  GODWIT_TRY(replace_file(*disk_, mine, text));
  const bool is_first = ::link(mine.c_str(), file("claim").c_str()) == 0;
  const int error = errno;
  GODWIT_TRY(disk_->remove(mine));
  GODWIT_TRY(disk_->sync_dir(path_));
  if (is_first) return true;
  if (error == EEXIST) return false;
  return unavailable("claiming {}: {}", path_, std::strerror(error));
}

Result<std::optional<LifeClaim>> LifeDir::read_claim() const {
  GODWIT_TRY_ASSIGN(const auto text, read_text("claim"));
  if (!text) return std::optional<LifeClaim>();
  std::istringstream words(*text);
  LifeClaim claim;
  if (!(words >> claim.pid >> claim.start >> claim.boot >> claim.host)) {
    return corruption("{} is '{}'", file("claim"), *text);
  }
  return std::optional(claim);
}

Result<> LifeDir::ask(const char* name) {
  if (is_asked(name)) return {};
  return replace_file(*disk_, file(name), "");
}

bool LifeDir::is_asked(const char* name) const {
  return disk_->size(file(name)).ok();
}

Result<> LifeDir::write_exit(const LifeExit& exit) {
  return replace_file(*disk_, file("exit"), fmt::format("{}\n{}", exit.code, exit.text));
}

Result<std::optional<LifeExit>> LifeDir::read_exit() const {
  GODWIT_TRY_ASSIGN(const auto text, read_text("exit"));
  if (!text) return std::optional<LifeExit>();
  std::istringstream words(*text);
  LifeExit exit;
  if (!(words >> exit.code)) return corruption("{} is '{}'", file("exit"), *text);
  exit.text = text->substr(std::min(text->find('\n') + 1, text->size()));
  return std::optional(exit);
}

}  // namespace godwit
