#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/json_fwd.hpp"

namespace tilescope {

/// Members of a document that this program does not know, as a newer one or another tool wrote them. They are kept and
/// written again where they stood.
class UnknownMembers {
 public:
  bool empty() const { return members_.empty(); }
  /// `place`: the keys and positions that lead to the member.
  void add(std::vector<std::string> place, const Json& value);
  /// Adds those that are not here yet.
  void add(const UnknownMembers& others);
  /// Puts them into a document that was written without them. One whose object is no longer there is left out.
  void write_to(Json& document) const;

  bool operator==(const UnknownMembers& other) const;

 private:
  using Member = std::pair<std::vector<std::string>, std::shared_ptr<const Json>>;
  std::vector<Member> members_;
};

/// The members that the readers of a document leave unread. While it exists, each ObjectReader of its thread reports to
/// it.
class UnreadMembers {
 public:
  UnreadMembers();
  ~UnreadMembers();
  UnreadMembers(const UnreadMembers&) = delete;
  UnreadMembers& operator=(const UnreadMembers&) = delete;

  /// The newest one, nullptr where there is none.
  static UnreadMembers* of_this_thread();

  /// `read`: which members of the object were read, by their positions.
  void note(const Json& object, std::uint64_t read);
  /// Unknown members of a document that was read meanwhile.
  UnknownMembers of(const Json& document) const;

 private:
  UnreadMembers* outer_;
  std::vector<std::pair<const Json*, std::uint64_t>> objects_;
};

}  // namespace tilescope
