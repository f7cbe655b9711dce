// bench/word_vector_peers.cc: writes the text, runs each, reads and judges their vectors.
#include "bench/word_vector_peers.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <span>
#include <utility>

#include "base/disk.h"
#include "base/errors.h"
#include "base/parse_number.h"
#include "base/time_source.h"
#include "base/try.h"
#include "bench/run_program.h"
#include "data/analogies.h"
#include "data/fields.h"
#include "data/line_reader.h"
#include "data/load.h"
#include "launch/child_process.h"
#include "launch/job_dir.h"
#include "train/analogies.h"
#include "train/tasks.h"
#include "train/training_loop.h"
#include "train/w2v_task.h"
#include "train/word_space.h"

namespace godwit {
namespace {

constexpr std::size_t kLineWords = 1000;
constexpr const char* kPython = "/usr/bin/python3";  // where Debian's gensim is

// Trains from the file, which is the faster of gensim's two ways; says how long train() took.
constexpr const char* kGensimScript = R"(
import sys, time
from gensim.models import Word2Vec
text, vectors, rank, epochs, threads, min_count = sys.argv[1:3] + [int(a) for a in sys.argv[3:]]
model = Word2Vec(sg=1, vector_size=rank, window=5, negative=5, min_count=min_count, sample=1e-4,
                 epochs=epochs, workers=threads)
model.build_vocab(corpus_file=text)
begin = time.monotonic()
model.train(corpus_file=text, total_examples=model.corpus_count,
            total_words=model.corpus_total_words, epochs=epochs)
print('seconds:', time.monotonic() - begin)
model.wv.save_word2vec_format(vectors)
)";

// One of the three.
struct Trained {
  std::string name;
  bool is_installed = false;
  double words_per_second = 0;
  std::optional<AnalogyScore> score;  // if there are questions
};

class Peers {
 public:
  Peers(const PeerCase& that, const Catalog& catalog, const Environment& environment,
        const SignalIntake& signals, std::string dir)
      : that_(that),
        catalog_(catalog),
        environment_(environment),
        signals_(signals),
        dir_(std::move(dir)),
        text_(dir_ + "/text.txt") {}

  Result<> prepare(const DataSource& source) {
    GODWIT_TRY_ASSIGN(const Corpus corpus,
                      load_corpus(source, {.min_count = 1, .max_words = that_.max_words}));
    GODWIT_TRY(write_words(corpus, text_));
    for (const std::uint64_t count : corpus.vocabulary.counts) {
      if (count >= static_cast<std::uint64_t>(that_.min_count)) words_ += count;
    }
    if (const auto file = find_analogies(catalog_)) {
      GODWIT_TRY_ASSIGN(const auto sections, read_analogies(*file));
      for (const AnalogySection& section : sections) {
        questions_.insert(questions_.end(), section.questions.begin(), section.questions.end());
      }
    }
    return {};
  }

  Result<Trained> train_fasttext() const {
    const auto path = find_command("fasttext", environment_);
    Trained trained{.name = "fasttext", .is_installed = path.ok()};
    if (!path.ok()) return trained;
    const std::string model = dir_ + "/fasttext";
    const auto number = [](std::int64_t n) { return std::to_string(n); };
    GODWIT_TRY_ASSIGN(const std::string said, run_program({.path = *path,
                                                           .arguments = {"skipgram",
                                                                         "-input",
                                                                         text_,
                                                                         "-output",
                                                                         model,
                                                                         "-minn",
                                                                         "0",
                                                                         "-maxn",
                                                                         "0",
                                                                         "-dim",
                                                                         number(that_.rank),
                                                                         "-ws",
                                                                         "5",
                                                                         "-neg",
                                                                         "5",
                                                                         "-minCount",
                                                                         number(that_.min_count),
                                                                         "-epoch",
                                                                         number(that_.epochs),
                                                                         "-thread",
                                                                         number(that_.threads),
                                                                         "-lr",
                                                                         "0.05",
                                                                         "-t",
                                                                         "1e-4"}},
                                                          environment_, signals_));
    const auto rate = fasttext_rate(said);
    if (!rate) return unavailable("fasttext does not say how fast it was");
    trained.words_per_second = *rate * static_cast<double>(that_.threads);
    GODWIT_TRY_ASSIGN(trained.score, judge(model + ".vec"));
    return trained;
  }

  Result<Trained> train_gensim() const {
    const auto imports = run_program({.path = kPython, .arguments = {"-c", "import gensim"}},
                                     environment_, signals_);
    if (!imports.ok() && imports.error().code() == ErrorCode::kAborted) return imports.error();
    Trained trained{.name = "gensim", .is_installed = imports.ok()};
    if (!imports.ok()) return trained;
    const std::string vectors = dir_ + "/gensim.vec";
    GODWIT_TRY_ASSIGN(
        const std::string said,
        run_program({.path = kPython,
                     .arguments = {"-c", kGensimScript, text_, vectors, std::to_string(that_.rank),
                                   std::to_string(that_.epochs), std::to_string(that_.threads),
                                   std::to_string(that_.min_count)}},
                    environment_, signals_));
    const auto seconds = number_behind(said, "seconds:");
    if (!seconds) return unavailable("gensim does not say how long it took");
    trained.words_per_second = trained_words() / *seconds;
    GODWIT_TRY_ASSIGN(trained.score, judge(vectors));
    return trained;
  }

  Result<Trained> train_godwit() const {
    const TaskKind& kind = **find_task_kind("w2v");
    Settings settings = settings_of(kind);
    for (const auto& [name, value] :
         {std::pair("rank", that_.rank), std::pair("epochs", that_.epochs),
          std::pair("min_count", that_.min_count)}) {
      GODWIT_TRY(settings.set(name, std::to_string(value), SettingSource::kFlag));
    }
    GODWIT_TRY_ASSIGN(const DataSource source, find_data(catalog_, text_));
    GODWIT_TRY_ASSIGN(const std::unique_ptr<Task> task, kind.make(settings, catalog_, source));
    GODWIT_TRY_ASSIGN(Session session, Session::open({.nodes = 1, .workers = that_.threads}));
    GODWIT_TRY(task->open(session, that_.threads));
    const std::atomic<bool> stop{false};
    GODWIT_TRY_ASSIGN(const LoopResult result,
                      train(session, *task, {.workers = that_.threads, .judge_every = 0}, {},
                            RealTime(), stop, {}));
    GODWIT_TRY(session.close());
    Trained trained{.name = "godwit",
                    .is_installed = true,
                    .words_per_second = result.examples / result.seconds};
    if (result.test) {
      const double asked = result.test->figures[1].second;
      trained.score = {
          .asked = static_cast<std::uint64_t>(asked),
          .right = static_cast<std::uint64_t>(result.test->figures[0].second * asked + 0.5)};
    }
    return trained;
  }

 private:
  double trained_words() const {
    return static_cast<double>(words_) * static_cast<double>(that_.epochs);
  }

  static std::optional<double> number_behind(std::string_view text, std::string_view label) {
    const std::size_t at = text.rfind(label);
    if (at == std::string_view::npos) return std::nullopt;
    text.remove_prefix(at + label.size());
    return parse_number<double>(trimmed(text.substr(0, text.find_first_of("\r\n"))));
  }

  // As the task judges its own.
  Result<std::optional<AnalogyScore>> judge(const std::string& path) const {
    if (questions_.empty()) return std::optional<AnalogyScore>();
    GODWIT_TRY_ASSIGN(const WordVectors vectors, read_word_vectors(path, kJudgedWords));
    const WordSpace space(vectors.values, vectors.length);
    return std::optional(ask_analogies(space, vectors.words, questions_));
  }

  const PeerCase& that_;
  const Catalog& catalog_;
  const Environment& environment_;
  const SignalIntake& signals_;
  const std::string dir_;
  const std::string text_;
  std::uint64_t words_ = 0;  // of the text, that occur often enough
  AnalogyQuestions questions_;
};

BenchResult result_of(const Trained& trained, double fastest, const std::string& note) {
  BenchResult result{.bench = "train",
                     .case_name = "peers/w2v/" + trained.name,
                     .unit = "k words/s",
                     .note = trained.is_installed ? note : "not installed",
                     .figures = {{"installed", trained.is_installed ? 1 : 0}}};
  if (!trained.is_installed) return result;
  result.value = trained.words_per_second / 1e3;
  result.limit = fastest / 1e3;
  result.ratio = trained.words_per_second / fastest;
  if (trained.score) {
    result.figures.emplace_back("analogies", trained.score->share());
    result.figures.emplace_back("questions", static_cast<double>(trained.score->asked));
  }
  return result;
}

}  // namespace

Result<> write_words(const Corpus& corpus, const std::string& path) {
  RealDisk disk;
  GODWIT_TRY_ASSIGN(const std::unique_ptr<DiskFile> file, disk.open_write(path));
  std::string text;
  for (std::size_t i = 0; i + 1 < corpus.begins.size(); ++i) {
    const auto sentence =
        std::span(corpus.tokens).subspan(corpus.begins[i], corpus.begins[i + 1] - corpus.begins[i]);
    for (std::size_t word = 0; word < sentence.size(); ++word) {
      text += corpus.vocabulary.words[sentence[word]];
      const bool ends = (word + 1) % kLineWords == 0 || word + 1 == sentence.size();
      text += ends ? '\n' : ' ';
    }
    GODWIT_TRY(file->append(std::as_bytes(std::span(text))));
    text.clear();
  }
  return file->close();
}

std::optional<double> fasttext_rate(std::string_view said) {
  constexpr std::string_view kLabel = "words/sec/thread:";
  const std::size_t at = said.rfind(kLabel);
  if (at == std::string_view::npos) return std::nullopt;
  said.remove_prefix(at + kLabel.size());
  said.remove_prefix(std::min(said.size(), said.find_first_not_of(' ')));
  const auto rate = parse_number<double>(said.substr(0, said.find_first_of(" \r\n")));
  return rate && *rate > 0 ? rate : std::nullopt;
}

Result<WordVectors> read_word_vectors(const std::string& path, std::size_t words_max) {
  GODWIT_TRY_ASSIGN(LineReader reader, LineReader::open({.path = path}));
  FieldSplitter splitter(Separator::kBlanks);
  std::string_view line;
  GODWIT_TRY_ASSIGN(const bool has_header, reader.next(line));
  const auto* header = has_header ? splitter.split(line) : nullptr;
  WordVectors vectors;
  if (header != nullptr && header->size() == 2) {
    vectors.length = parse_number<std::size_t>((*header)[1]).value_or(0);
  }
  if (vectors.length == 0) return reader.refuse(line, "'words length'");
  while (vectors.words.size() < words_max) {
    GODWIT_TRY_ASSIGN(const bool has_line, reader.next(line));
    if (!has_line) break;
    const auto* fields = splitter.split(line);
    const std::string expected = fmt::format("a word and {} numbers", vectors.length);
    if (fields->size() != vectors.length + 1) return reader.refuse(line, expected);
    if (fields->front() == "</s>") continue;
    for (std::size_t i = 1; i < fields->size(); ++i) {
      const auto number = parse_float((*fields)[i]);
      if (!number) return reader.refuse(line, expected);
      vectors.values.push_back(*number);
    }
    vectors.words.emplace_back(fields->front());
  }
  return vectors;
}

Result<> measure_peers(const PeerCase& that, const Catalog& catalog, const Environment& environment,
                       const std::function<void(const BenchResult&)>& on_result) {
  GODWIT_TRY_ASSIGN(const DataSource source, find_first_data(catalog, that.data));
  // Before the directory: signals have their usual effect once it is gone.
  const SignalIntake signals;
  GODWIT_TRY_ASSIGN(const JobDir dir,
                    JobDir::make(temporary_dir(value_of(environment, "TMPDIR").value_or(""))));
  Peers peers(that, catalog, environment, signals, dir.path());
  GODWIT_TRY(peers.prepare(source));
  GODWIT_TRY_ASSIGN(Trained fasttext, peers.train_fasttext());
  GODWIT_TRY_ASSIGN(Trained gensim, peers.train_gensim());
  GODWIT_TRY_ASSIGN(Trained godwit, peers.train_godwit());
  double fastest = 0;
  for (const Trained* trained : {&fasttext, &gensim, &godwit}) {
    fastest = std::max(fastest, trained->words_per_second);
  }
  const std::string note = fmt::format(
      "{}: skip-gram, rank {}, window 5, 5 negatives, {} epochs, {} threads; limit: the fastest; "
      "reading and writing not counted",
      source.name, that.rank, that.epochs, that.threads);
  on_result(result_of(fasttext, fastest, note));
  on_result(result_of(gensim, fastest, note));
  on_result(result_of(godwit, fastest, note));
  return {};
}

}  // namespace godwit
