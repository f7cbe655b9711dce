// train/task_queries.h: the questions of single tasks; queries.h chooses among them. Pure but for
// reading the model and the data. Errors as ask() has them.
#pragma once

#include "train/queries.h"

namespace godwit {

// similar ENTITY
Result<Answers> similar_entities(const SavedModel& model, const Query& query, const RunData& data);
// predict HEAD RELATION ? and predict ? RELATION TAIL
Result<Answers> predict_entity(const SavedModel& model, const Query& query, const RunData& data);

// similar ITEM
Result<Answers> similar_items(const SavedModel& model, const Query& query, const RunData& data);
// predict USER ITEM
Result<Answers> predict_item(const SavedModel& model, const Query& query, const RunData& data);
// recommend USER
Result<Answers> recommend_items(const SavedModel& model, const Query& query, const RunData& data);

// similar WORD
Result<Answers> similar_words(const SavedModel& model, const Query& query, const RunData& data);
// analogy A B C: A is to B as C is to what
Result<Answers> complete_analogy(const SavedModel& model, const Query& query, const RunData& data);

// predict FEATURE:VALUE...
Result<Answers> predict_click(const SavedModel& model, const Query& query, const RunData& data);

// The nearest rows of a table to one of them by its first `length` floats. `what` is such a row.
Result<Answers> similar_rows(const ModelTable& table, std::size_t length, const Query& query,
                             std::string_view what);

}  // namespace godwit
