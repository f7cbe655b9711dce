// data/understood.h: what a reader understood, to be shown to the user before training.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace godwit {

// File, format, counts, the first 3 rows as understood, notes; one line each.
struct Understood {
  std::vector<std::string> lines;
};

// What was read, before anything is split off: "4,000 ratings"; "80 ratings in train, 20 in test";
// if all parts are there, "80 ratings to train on, 10 to validate, 20 to test". `things` are many.
std::string parts_text(std::string_view things, std::uint64_t train, std::uint64_t valid,
                       std::uint64_t test);

}  // namespace godwit
