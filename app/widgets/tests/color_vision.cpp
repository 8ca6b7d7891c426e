#include "app/widgets/tests/color_vision.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "app/widgets/contrast.hpp"

namespace tilescope::test_support {

namespace {

double encoded(double linear) {
  const double x = std::clamp(linear, 0.0, 1.0);
  return x <= 0.0031308 ? 12.92 * x : 1.055 * std::pow(x, 1 / 2.4) - 0.055;
}

std::array<double, 3> linear_channels(const ImVec4& color) {
  return {linear_of(color.x), linear_of(color.y), linear_of(color.z)};
}

struct Lab {
  double L, a, b;
};

/// CIE L*a*b*, with the matrix of IEC 61966-2-1 and the white point D65 (CIE 15).
Lab lab_of(const ImVec4& color) {
  const auto [r, g, b] = linear_channels(color);
  const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
  const double x = f((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
  const double y = f(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
  const double z = f((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

constexpr double degree = std::numbers::pi / 180;

double hue_of(double a, double b) {
  if (a == 0 && b == 0) return 0;
  const double hue = std::atan2(b, a) / degree;
  return hue < 0 ? hue + 360 : hue;
}

double mean_hue(double h1, double h2, bool grey) {
  if (grey) return h1 + h2;
  if (std::abs(h1 - h2) <= 180) return (h1 + h2) / 2;
  return (h1 + h2 + (h1 + h2 < 360 ? 360 : -360)) / 2;
}

double seventh_power_share(double chroma) {
  return std::sqrt(std::pow(chroma, 7) / (std::pow(chroma, 7) + std::pow(25.0, 7)));
}

}  // namespace

const std::vector<ColorVision>& color_visions() {
  static const std::vector<ColorVision> visions = {
      {"normal", {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}},
      {"protanopia",
       {{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}},
      {"deuteranopia",
       {{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}},
      {"tritanopia",
       {{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}}};
  return visions;
}

ImVec4 simulate(const ColorVision& vision, const ImVec4& color) {
  const auto channels = linear_channels(color);
  std::array<float, 3> seen{};
  for (std::size_t row = 0; row < 3; ++row) {
    double sum = 0;
    for (std::size_t column = 0; column < 3; ++column) sum += vision.matrix[row][column] * channels[column];
    seen[row] = static_cast<float>(encoded(sum));
  }
  return {seen[0], seen[1], seen[2], 1};
}

double color_difference(const ImVec4& first, const ImVec4& second) {
  const Lab p = lab_of(first);
  const Lab q = lab_of(second);
  const double g = 0.5 * (1 - seventh_power_share((std::hypot(p.a, p.b) + std::hypot(q.a, q.b)) / 2));
  const double a1 = (1 + g) * p.a;
  const double a2 = (1 + g) * q.a;
  const double c1 = std::hypot(a1, p.b);
  const double c2 = std::hypot(a2, q.b);
  const double h1 = hue_of(a1, p.b);
  const double h2 = hue_of(a2, q.b);
  const bool grey = c1 * c2 == 0;
  const double dh = grey ? 0 : std::remainder(h2 - h1, 360);
  const double d_hue = 2 * std::sqrt(c1 * c2) * std::sin(dh / 2 * degree);
  const double lightness = (p.L + q.L) / 2;
  const double chroma = (c1 + c2) / 2;
  const double hue = mean_hue(h1, h2, grey);
  const double t = 1 - 0.17 * std::cos((hue - 30) * degree) + 0.24 * std::cos(2 * hue * degree) +
                   0.32 * std::cos((3 * hue + 6) * degree) - 0.2 * std::cos((4 * hue - 63) * degree);
  const double from_50 = (lightness - 50) * (lightness - 50);
  const double l_term = (q.L - p.L) / (1 + 0.015 * from_50 / std::sqrt(20 + from_50));
  const double c_term = (c2 - c1) / (1 + 0.045 * chroma);
  const double h_term = d_hue / (1 + 0.015 * chroma * t);
  const double turn = 30 * std::exp(-std::pow((hue - 275) / 25, 2));
  const double rotation = -std::sin(2 * turn * degree) * 2 * seventh_power_share(chroma);
  return std::sqrt(l_term * l_term + c_term * c_term + h_term * h_term + rotation * c_term * h_term);
}

}  // namespace tilescope::test_support
