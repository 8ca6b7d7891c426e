#include "base/unread_members.hpp"

#include <algorithm>
#include <charconv>

#include "base/json.hpp"

namespace tilescope {
namespace {

thread_local UnreadMembers* newest = nullptr;

/// The element of a list or object, nullptr where there is none.
Json* element_of(Json& json, const std::string& step) {
  if (json.is_object()) {
    const auto member = json.find(step);
    return member == json.end() ? nullptr : &*member;
  }
  std::size_t index = 0;
  const char* const end = step.data() + step.size();
  const auto [stopped, failure] = std::from_chars(step.data(), end, index);
  if (!json.is_array() || failure != std::errc() || stopped != end || index >= json.size()) return nullptr;
  return &json[index];
}

/// Goes through a document along the places of its objects.
class UnreadFinder {
 public:
  using Objects = std::vector<std::pair<const Json*, std::uint64_t>>;

  UnreadFinder(const Objects& objects, UnknownMembers& found) : objects_(objects), found_(found) {}

  void visit(const Json& json) {
    if (json.is_array()) {
      for (std::size_t i = 0; i < json.size(); ++i) step(std::to_string(i), json[i]);
    }
    if (!json.is_object()) return;
    const auto noted =
        std::ranges::find_if(objects_, [&](const auto& object) { return object.first == &json; });
    std::size_t position = 0;
    for (const auto& [key, member] : json.get_ref<const Json::object_t&>()) {
      const bool is_read =
          noted == objects_.end() || (position < 64 && (noted->second >> position & 1U) != 0);
      ++position;
      if (is_read) {
        step(key, member);
      } else {
        std::vector<std::string> place = place_;
        place.push_back(key);
        found_.add(std::move(place), member);
      }
    }
  }

 private:
  void step(const std::string& name, const Json& json) {
    if (!json.is_structured()) return;
    place_.push_back(name);
    visit(json);
    place_.pop_back();
  }

  const Objects& objects_;
  UnknownMembers& found_;
  std::vector<std::string> place_;
};

}  // namespace

void UnknownMembers::add(std::vector<std::string> place, const Json& value) {
  members_.emplace_back(std::move(place), std::make_shared<const Json>(value));
}

void UnknownMembers::add(const UnknownMembers& others) {
  for (const Member& member : others.members_) {
    const auto is_same = [&](const Member& own) { return own.first == member.first; };
    if (std::ranges::none_of(members_, is_same)) members_.push_back(member);
  }
}

void UnknownMembers::write_to(Json& document) const {
  for (const auto& [place, value] : members_) {
    Json* object = &document;
    for (std::size_t i = 0; i + 1 < place.size() && object != nullptr; ++i)
      object = element_of(*object, place[i]);
    if (object == nullptr || !object->is_object() || object->contains(place.back())) continue;
    (*object)[place.back()] = *value;
  }
}

bool UnknownMembers::operator==(const UnknownMembers& other) const {
  return std::ranges::equal(members_, other.members_, [](const Member& a, const Member& b) {
    return a.first == b.first && *a.second == *b.second;
  });
}

UnreadMembers::UnreadMembers() : outer_(newest) {
  newest = this;
}

UnreadMembers::~UnreadMembers() {
  newest = outer_;
}

UnreadMembers* UnreadMembers::of_this_thread() {
  return newest;
}

void UnreadMembers::note(const Json& object, std::uint64_t read) {
  objects_.emplace_back(&object, read);
}

UnknownMembers UnreadMembers::of(const Json& document) const {
  UnknownMembers found;
  if (!objects_.empty()) UnreadFinder(objects_, found).visit(document);
  return found;
}

}  // namespace tilescope
