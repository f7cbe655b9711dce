// launch/doctor_network.h: checks of loopback, ports and this host's name. judge_...() are pure.
// Thread-safe: no state.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "launch/doctor.h"

namespace godwit {

// Whether a byte gets from one TCP socket to another on 127.0.0.1. `error` is empty if it does.
Finding judge_loopback(const std::string& error);
Finding examine_loopback();

// Ports from which the system takes one for outgoing connections, both inclusive.
Finding judge_port_range(std::int64_t first, std::int64_t last);
Finding examine_port_range();

// The addresses to which this host's own name resolves; none: `error` says why.
Finding judge_host_name(const std::string& host, std::span<const std::string> addresses,
                        const std::string& error);
Finding examine_host_name();

}  // namespace godwit
