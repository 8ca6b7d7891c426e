#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace tilescope {

/// "57,376": digits in groups of three, as every count in the window and in reports is written.
std::string format_count(std::int64_t count);

/// A count in three digits from a million on, for sentences: "999,999", "31.5 M", "1.20 G".
std::string format_short(std::int64_t count);

/// "no points", "1 point", "1,152 points".
std::string format_points(std::size_t count);

/// A number with a fixed count of decimals and grouped thousands: "1,099.78". A value that is not finite is
/// "-".
std::string format_number(double value, int decimals);

/// A latency without its unit, for columns whose header says [us]: two decimals, three below 10 us.
std::string format_us(double us);

/// A latency with its unit, for sentences and tooltips: "9.241 µs", "1.100 ms", "2.40 s".
std::string format_latency(double us);

/// "30.10 µs to 30.90 µs", "not known" where one of the two is not finite.
std::string format_spread(double low_us, double high_us);

/// "33.3 %" of a fraction 0 to 1.
std::string format_percent(double fraction);

/// "57,376 B" below 1 KiB, else "56.0 KiB (57,376 B)".
std::string format_bytes(std::int64_t bytes);

/// Bytes in one form: "512 B", "56.0 KiB".
std::string format_short_bytes(std::int64_t bytes);

/// An error in three significant digits: "4.88e-04", "0" when there is none.
std::string format_error(double error);

/// The text with a capital first letter.
std::string capitalised(std::string text);

/// The text with a no-break space between each number and its unit or sign of percent, for texts that are wrapped.
std::string with_unbroken_units(const std::string& text);

/// A duration: "8 s", "2 min 05 s", "1 h 12 min".
std::string format_duration(double seconds);

}  // namespace tilescope
