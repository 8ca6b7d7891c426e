#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

namespace tilescope {

/// A value for each key, made where it is first asked for. Keys that follow each other lie in one page, and the last page is
/// remembered: what a warp accesses lies close together, and a hash table with an entry for each key would take most of the
/// time of those that use it. Pages are small, since scattered accesses use one key of each.
template <class Value, unsigned keys_of_page_log2>
class PagedTable {
 public:
  Value& operator[](std::uint64_t key) {
    const std::uint64_t number = key >> keys_of_page_log2;
    if (last_ == nullptr || number != last_number_) {
      last_ = &pages_[number];
      last_number_ = number;
    }
    return (*last_)[key & (keys_of_page - 1)];
  }

  /// nullptr where no key of its page was asked for.
  const Value* find(std::uint64_t key) const {
    const auto found = pages_.find(key >> keys_of_page_log2);
    return found == pages_.end() ? nullptr : &found->second[key & (keys_of_page - 1)];
  }

  void clear() {
    pages_.clear();
    last_ = nullptr;
  }

 private:
  static constexpr std::size_t keys_of_page = std::size_t{1} << keys_of_page_log2;
  using Page = std::array<Value, keys_of_page>;

  std::unordered_map<std::uint64_t, Page> pages_;
  Page* last_ = nullptr;
  std::uint64_t last_number_ = 0;
};

}  // namespace tilescope
