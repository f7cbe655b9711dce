// cli/doctor_verb.cc: `godwit doctor`: is this machine fit, and what is this process's place?
#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "cli/command_line.h"
#include "cli/verbs.h"
#include "launch/discovery.h"
#include "launch/doctor.h"

namespace godwit {
namespace {

using Json = nlohmann::ordered_json;

struct DoctorOptions {
  bool json = false;
  bool place = false;
};

void print(const Json& object, std::ostream& out) {
  out << object.dump(-1, ' ', false, Json::error_handler_t::replace) << "\n";
}

// The token is a secret; 16 bits of a hash show whether two processes have the same.
int print_place(const Environment& environment, std::ostream& out, std::ostream& err) {
  const auto place = discover(environment, {}, this_process());
  if (!place.ok()) {
    err << "godwit doctor: " << place.error().message() << "\n";
    return kExitUsage;
  }
  Json object;
  object["node"] = place->node.value();
  object["nodes"] = place->nodes;
  object["source"] = place->source;
  object["local"] = place->local;
  object["job"] = place->job;
  object["rendezvous"] = place->rendezvous;
  object["socket_dir"] = place->socket_dir;
  object["token"] =
      place->token.empty()
          ? "none"
          : fmt::format("secret {:04x}", std::hash<std::string>{}(place->token) & 0xffffU);
  if (place->servers > 0) object["servers"] = place->servers;
  if (const auto& group = place->group) {
    object["group"] = group->group;
    object["groups"] = group->groups;
    object["group_rank"] = group->rank;
    object["group_size"] = group->size;
    object["life"] = group->life;
  }
  print(object, out);
  return kExitOk;
}

int run_doctor(const DoctorOptions& options, std::ostream& out, std::ostream& err) {
  const Environment environment = parse_environment(environ);
  if (options.place) return print_place(environment, out, err);
  const auto findings = examine_host(environment);
  if (!options.json) out << to_text(findings);
  for (const Finding& finding : findings) {
    if (!options.json) break;
    Json object;
    object["name"] = finding.name;
    object["health"] = to_string(finding.health);
    object["found"] = finding.found;
    object["fix"] = finding.fix;
    print(object, out);
  }
  return is_fit(findings) ? kExitOk : kExitFailed;
}

}  // namespace

void add_doctor_verb(CLI::App& app, Action& action) {
  CLI::App* verb = app.add_subcommand("doctor", "is this machine fit to run jobs?");
  auto options = std::make_shared<DoctorOptions>();
  verb->add_flag("--json", options->json, "one JSON object a line instead of a table");
  verb->add_flag("--place", options->place,
                 "only: which node of which job this process is, as JSON");
  verb->callback([options, &action] {
    action = [options](std::ostream& out, std::ostream& err) {
      return run_doctor(*options, out, err);
    };
  });
}

}  // namespace godwit
