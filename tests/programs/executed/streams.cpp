// Streams: formatted output and input, manipulators, errors; doubles by the way.
#include <cmath>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <string>

static uint32_t mixed = 11;
static void mix(uint32_t value) { mixed = mixed * 31 + value; }
static void mix(const std::string& text) {
  for (char c : text) mix(uint32_t(uint8_t(c)));
}

uint32_t compute() {
  std::ostringstream out;
  double sum = 0;
  for (int i = 1; i <= 12; ++i) {
    sum += std::sqrt(double(i)) / (i % 3 + 1);
    out << std::setw(6) << i << ' ' << std::hex << i * 77 << std::dec << ' ' << std::setprecision(4) << sum
        << '\n';
  }
  mix(out.str());
  std::istringstream in("12 -7 3.5 word 0x1f oops");
  int a = 0, b = 0;
  double c = 0;
  std::string word;
  in >> a >> b >> c >> word;
  mix(uint32_t(a * 100 + b));
  mix(uint32_t(c * 2));
  mix(word);
  int hex = 0;
  in >> std::setbase(0) >> hex;
  mix(uint32_t(hex));
  in >> hex;
  mix(uint32_t(in.fail()));
  std::stringstream both;
  for (int i = 0; i < 5; ++i) both << i * i << ',';
  for (std::string part; std::getline(both, part, ',');) mix(uint32_t(std::stoi(part)));
  std::cout << "printed " << std::boolalpha << (sum > 3) << std::endl;
  return mixed;
}
