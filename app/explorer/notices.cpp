#include "app/explorer/notices.hpp"

#include <algorithm>
#include <utility>

namespace tilescope {

void Notices::say(std::string sentence) {
  add({std::move(sentence), true});
}

void Notices::inform(std::string sentence) {
  add({std::move(sentence), false, Notice::Clock::now() + news_time});
}

void Notices::offer(std::string sentence, std::string button, std::function<void()> press,
                    std::chrono::seconds time) {
  add({std::move(sentence), false, Notice::Clock::now() + time, std::move(button), std::move(press)});
}

/// Repeating a sentence only extends how long it is shown.
void Notices::add(Notice notice) {
  std::erase_if(list_, [&](const Notice& former) {
    return former.text == notice.text && former.is_error == notice.is_error;
  });
  list_.push_back(std::move(notice));
  draw_again();
}

std::vector<std::string> Notices::errors() const {
  std::vector<std::string> errors;
  for (const Notice& notice : list_) {
    if (notice.is_error) errors.push_back(notice.text);
  }
  return errors;
}

void Notices::dismiss(std::size_t index) {
  if (index >= list_.size()) return;
  list_.erase(list_.begin() + static_cast<std::ptrdiff_t>(index));
  draw_again();
}

void Notices::dismiss_all() {
  list_.clear();
  draw_again();
}

void Notices::press(std::size_t index) {
  if (index >= list_.size()) return;
  const std::function<void()> press = std::move(list_[index].press);
  dismiss(index);
  if (press) press();
}

bool Notices::has_news() const {
  return std::any_of(list_.begin(), list_.end(),
                     [](const Notice& notice) { return notice.until != Notice::Clock::time_point::max(); });
}

void Notices::update(Notice::Clock::time_point now) {
  if (std::erase_if(list_, [&](const Notice& notice) { return notice.until <= now; }) > 0) draw_again();
}

bool Notices::take_changed() {
  return std::exchange(changed_, false);
}

}  // namespace tilescope
