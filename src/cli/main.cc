// cli/main.cc: the program `godwit`.
#include <csignal>
#include <iostream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "train/gemm.h"

int main(int argc, char** argv) {
  godwit::tell_blas_the_processor();
  const int code = godwit::run_command_line(std::vector<std::string>(argv + 1, argv + argc),
                                            std::cout, std::cerr);
  // All is said and done; a signal would only hide how it ended. A launcher sends one to all nodes
  // as soon as the first has failed, and asks the one that has said why for its code.
  static_cast<void>(std::signal(SIGINT, SIG_IGN));
  static_cast<void>(std::signal(SIGTERM, SIG_IGN));
  return code;
}
