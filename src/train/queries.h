// train/queries.h: what a trained model can be asked. Pure but for reading the model and, where it
// matters what is known already, the data.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "data/catalog.h"
#include "godwit/result.h"
#include "train/saved_model.h"

namespace godwit {

struct Query {
  std::string verb;  // similar, predict, analogy, recommend
  std::vector<std::string> words;
  std::size_t count = 10;  // of answers
};

// Where the data of a run may still be.
struct RunData {
  Catalog catalog;
  std::string name;  // what --data said
};

struct RankedAnswer {
  std::string name;
  double score = 0;
  bool is_known = false;  // the data say so
};

struct Answers {
  std::string question;  // for people
  std::string measure;   // what the score is: "cosine"
  std::vector<RankedAnswer> best;
  std::vector<std::string> notes;  // what the answers do not tell
};

// kInvalidArgument for a verb that the model's task does not know, or too few or many words, saying
// which there are; kNotFound for names that are not in the model, saying which may be meant; errors
// of SavedModel.
Result<Answers> ask(const SavedModel& model, const Query& query, const RunData& data);

// A line for each task and verb, for help.
std::string query_usage();

}  // namespace godwit
