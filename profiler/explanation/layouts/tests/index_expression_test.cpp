#include "profiler/explanation/layouts/index_expression.hpp"

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "kernels/attention/tests/kernel_test.hpp"
#include "profiler/execution/ptx/build_program.hpp"
#include "profiler/execution/ptx/parser.hpp"
#include "profiler/execution/simt/interpreter.hpp"

// The expressions to paste, compiled as CUDA and executed: they put every element where the candidate does.
namespace tilescope {
namespace {

namespace fs = std::filesystem;

struct Expression {
  CandidateLayout layout;
  std::string text;
};

class IndexExpressions : public KernelTest, public testing::WithParamInterface<TileShape> {
 protected:
  IndexExpressions()
      : file_(fs::temp_directory_path() / ("tilescope_index_" + std::to_string(::getpid()) + ".cu")) {}
  ~IndexExpressions() override { fs::remove(file_); }

  // A block for each expression, which writes its value for each element.
  void write_kernel(const std::vector<Expression>& expressions, const TileShape& shape) const {
    std::ofstream out(file_);
    out << "extern \"C\" __global__ void places(unsigned* out) {\n"
        << "  for (int i = threadIdx.x; i < " << shape.elements() << "; i += blockDim.x) {\n"
        << "    const int row = i / " << shape.columns << ", column = i % " << shape.columns
        << ", offset = i;\n    unsigned place = 0;\n    switch (blockIdx.x) {\n";
    for (std::size_t i = 0; i < expressions.size(); ++i)
      out << "      case " << i << ": place = " << expressions[i].text << "; break;\n";
    out << "    }\n    out[blockIdx.x * " << shape.elements()
        << " + i] = place + 0 * (row + column + offset);\n"
        << "  }\n}\n";
  }

  std::vector<std::uint32_t> evaluate(std::size_t expressions, const TileShape& shape) const {
    const CompiledKernel compiled = compile_file(file_, "places", "sm_89");
    const simt::Program program = ptx::build_program(ptx::parse(compiled.ptx), "places");
    std::vector<std::uint32_t> places(expressions * static_cast<std::size_t>(shape.elements()));
    simt::GlobalMemory memory;
    const std::uint64_t address =
        memory.attach("out", reinterpret_cast<std::byte*>(places.data()), places.size() * 4, false);
    simt::Launch launch;
    launch.grid.x = static_cast<std::uint32_t>(expressions);
    launch.block.x = 128;
    launch.parameters.resize(sizeof address);
    std::memcpy(launch.parameters.data(), &address, sizeof address);
    const simt::RunResult run = simt::run(program, launch, memory, {});
    EXPECT_FALSE(run.fault.has_value()) << run.fault->text;
    return places;
  }

  fs::path file_;
};

TEST_P(IndexExpressions, PutEveryElementWhereTheCandidateDoes) {
  const TileShape shape = GetParam();
  CandidateList list(shape, shape.element_bytes);
  std::vector<CandidateLayout> candidates = list.simple();
  for (const std::int64_t padding : list.paddings()) {
    for (const CandidateLayout& layout : list.with_padding(padding)) candidates.push_back(layout);
  }
  std::vector<Expression> expressions;
  for (const CandidateLayout& layout : candidates) {
    std::string text = index_expression(layout, shape);
    EXPECT_NE(text, "") << to_words(layout);
    expressions.push_back({layout, std::move(text)});
  }
  write_kernel(expressions, shape);
  const std::vector<std::uint32_t> places = evaluate(expressions.size(), shape);
  const auto elements = static_cast<std::size_t>(shape.elements());
  // An expression over the offset counts bytes.
  const std::uint32_t unit = shape.rows < 2 ? 1 : static_cast<std::uint32_t>(shape.element_bytes);
  for (std::size_t i = 0; i < expressions.size(); ++i) {
    const std::vector<std::uint32_t> expected = places_of(expressions[i].layout, shape);
    for (std::size_t k = 0; k < elements; ++k)
      ASSERT_EQ(places[i * elements + k] * unit, expected[k])
          << to_words(expressions[i].layout) << ": " << expressions[i].text;
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, IndexExpressions,
                         testing::Values(TileShape{64, 64, 2}, TileShape{24, 80, 2}, TileShape{40, 96, 2},
                                         TileShape{16, 33, 4}, TileShape{32, 16, 4}, TileShape{20, 144, 1},
                                         TileShape{1, 2048, 1}));

}  // namespace
}  // namespace tilescope
