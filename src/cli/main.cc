// cli/main.cc: the program `godwit`.
#include <iostream>
#include <string>
#include <vector>

#include "cli/command_line.h"
#include "train/gemm.h"

int main(int argc, char** argv) {
  godwit::tell_blas_the_processor();
  return godwit::run_command_line(std::vector<std::string>(argv + 1, argv + argc), std::cout,
                                  std::cerr);
}
