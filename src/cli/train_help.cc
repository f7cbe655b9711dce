// cli/train_help.cc: lists; the test compares them with what there is.
#include "cli/train_help.h"

#include <fmt/format.h>

#include "report/text_table.h"
#include "train/tasks.h"

namespace godwit {

std::string task_list() {
  std::string text = "Tasks:\n";
  for (const TaskKind& kind : task_kinds()) {
    text += fmt::format("  {:8} {}\n", kind.name, kind.summary);
  }
  return text;
}

std::string data_list() {
  const TextRows rows = {
      {"  wordnet", "kge, lda, w2v", "Debian's wordnet-base"},
      {"  fashion-mnist", "mlp", "Debian's dataset-fashion-mnist"},
      {"  wn18rr", "kge", "in GODWIT_DATA, as are the next three"},
      {"  movietweetings-100k", "mf", ""},
      {"  simplewiki8", "lda, w2v", ""},
      {"  a9a", "ctr, lasso", ""},
      {"  generated:lowrank,rows=1000", "mf", ""},
      {"  generated:graph,entities=20000", "kge", ""},
      {"  generated:ctr,rows=10000", "ctr", ""},
      {"  generated:linear,features=500", "lasso, linreg", ""},
      {"  a file or a directory", "all", "of the task's kind: docs/tasks"},
  };
  return "Data, and the tasks that read them:\n" + aligned_rows(rows);
}

}  // namespace godwit
