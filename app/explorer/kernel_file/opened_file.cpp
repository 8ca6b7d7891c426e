#include "app/explorer/kernel_file/opened_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>
#include <variant>

#include "app/explorer/jobs.hpp"
#include "app/explorer/kernel_file/opened_subject.hpp"
#include "app/explorer/memory/memory_focus.hpp"
#include "app/explorer/notices.hpp"
#include "app/explorer/selection.hpp"
#include "profiler/measure/files/launch_file.hpp"
#include "profiler/measure/files/launch_options.hpp"
#include "profiler/measure/open/launch_sidecar.hpp"
#include "profiler/service/requests/earlier_kernels.hpp"
#include "profiler/views/kernel_file/value_combinations.hpp"

namespace tilescope {

namespace fs = std::filesystem;

namespace {

constexpr const char* tag = "kernel file";

/// Differs after each change of a file.
struct SeenFile {
  fs::file_time_type time{};
  std::uintmax_t size = 0;

  bool operator==(const SeenFile&) const = default;
};

SeenFile look_at(const fs::path& file) {
  std::error_code no_time, no_size;
  SeenFile seen{fs::last_write_time(file, no_time), fs::file_size(file, no_size)};
  if (no_time || no_size) return {};
  return seen;
}

}  // namespace

// A file that is opened is asked about once a panel wants it.
OpenedFile::OpenedFile(Board& board) : board_(board), task_(board.parts.background) {}

void OpenedFile::open(const fs::path& file) {
  std::error_code failed;
  const fs::path absolute = fs::absolute(file, failed);
  const std::uint64_t version = question_.version + 1;
  cancel();
  keep_choices();
  question_ = {failed ? file : absolute.lexically_normal(), "", {}, "", version};
  if (fs::is_directory(question_.file, failed))
    if (const auto task = find_python_task(question_.file)) question_.file = task->kernels;
  take_kept_choices();
  asked_.reset();
  answered_.clear();
  kept_.clear();
  shown_ = nullptr;
  problem_.clear();
  state_ = State::idle;
  board_.get<MemoryFocus>(block_of_file).choose_line(0);
  watch();
}

void OpenedFile::keep_choices() {
  if (question_.file.empty()) return;
  choices_[question_.entry] = std::move(question_.chosen);
  former_[question_.file] = {std::move(question_.entry), std::move(question_.options), std::move(choices_),
                             std::move(launches_)};
}

void OpenedFile::take_kept_choices() {
  choices_.clear();
  launches_.clear();
  const auto former = former_.find(question_.file);
  if (former == former_.end()) return;
  FileChoices& kept = former->second;
  question_.entry = std::move(kept.entry);
  question_.options = std::move(kept.options);
  choices_ = std::move(kept.by_kernel);
  launches_ = std::move(kept.launches);
  question_.chosen = choices_[question_.entry];
  former_.erase(former);
}

void OpenedFile::want() {
  if (question_.file.empty()) return;
  question_.device = board_.parts.selection.device().name;
  if (asked_ == question_ || board_.parts.jobs.waits_for_devices()) return;
  asked_ = question_;
  if (!take_kept()) send();
}

bool OpenedFile::take_kept() {
  const auto found = std::ranges::find(kept_, *asked_, &decltype(kept_)::value_type::first);
  if (found == kept_.end()) return false;
  cancel();
  problem_.clear();
  state_ = State::waits;
  take(found->second);
  return true;
}

OpenedFile::Question OpenedFile::question_with(const ChosenValues& chosen) const {
  Question question = question_;
  question.entry = shown_entry();
  question.chosen = chosen;
  question.device = board_.parts.selection.device().name;
  return question;
}

void OpenedFile::keep(const ChosenValues& chosen, std::shared_ptr<const OpenedPoint> point) {
  keep_as(question_with(chosen), std::move(point));
}

std::shared_ptr<const OpenedPoint> OpenedFile::find_answer(const ChosenValues& chosen) const {
  // Without a choice a declared launch goes before the guess.
  std::error_code ignored;
  if (chosen.empty() && fs::exists(launch_sidecar(question_.file), ignored)) return nullptr;
  const auto found = std::ranges::find(kept_, question_with(chosen), &decltype(kept_)::value_type::first);
  return found == kept_.end() ? nullptr : found->second;
}

void OpenedFile::keep_as(Question question, std::shared_ptr<const OpenedPoint> point) {
  constexpr std::size_t most_kept = 32 + max_combinations;
  const Status status = point->status;
  if (status == Status::worker_lost || status == Status::cancelled || status == Status::timed_out) return;
  if (question.entry.empty()) question.entry = point->entry.empty() ? shown_entry() : point->entry;
  std::erase_if(kept_, [&](const auto& kept) { return kept.first == question; });
  if (kept_.size() >= most_kept) kept_.erase(kept_.begin());
  kept_.emplace_back(std::move(question), std::move(point));
}

const std::string& OpenedFile::shown_entry() const {
  return question_.entry.empty() ? answered_ : question_.entry;
}

void OpenedFile::cancel() {
  task_.drop();
  request_.cancel();
  if (waits()) state_ = State::cancelled;
}

void OpenedFile::choose_kernel(const std::string& entry) {
  if (entry == question_.entry) return;
  choices_[question_.entry] = std::move(question_.chosen);
  board_.get<MemoryFocus>(block_of_file).choose_line(0);
  question_.entry = entry;
  question_.chosen = choices_[entry];
}

void OpenedFile::choose(const std::string& what, const std::string& value) {
  // From now on it is this kernel, also where another one comes first in a newer file.
  if (question_.entry.empty() && shown_) question_.entry = shown_->point.entry;
  // Values of a reference's launch are another kernel's.
  if (what == reference_kernel_choice)
    std::erase_if(question_.chosen,
                  [](const auto& choice) { return choice.first.starts_with("reference "); });
  if (const auto earlier = earlier_kernel_of(what)) {
    set_earlier_kernel(question_.chosen, *earlier, value);
  } else if (value.empty()) {
    question_.chosen.erase(what);
  } else {
    question_.chosen[what] = value;
  }
  // The form shows it before the answer comes; what a guess will be again is not known yet.
  std::vector<LaunchRow>& rows = launches_[shown_entry()];
  const auto row = std::ranges::find(rows, what, &LaunchRow::what);
  if (row == rows.end() || value.empty()) return;
  if (!row->is_chosen && row->kind == LaunchRow::Kind::guess) row->guess = row->value;
  row->value = value;
  row->is_chosen = true;
}

void OpenedFile::add_tensors(OpenFile::Params& params) const {
  const auto& tensors = question_.tensors;
  if (!tensors) return;
  params.calls = tensors->calls;
  params.subject.arrays.insert(params.subject.arrays.end(), tensors->arrays.begin(), tensors->arrays.end());
}

void OpenedFile::add_include_folder(const std::string& folder) {
  std::error_code ignored;
  const fs::path whole = fs::absolute(question_.file.parent_path() / folder, ignored);
  question_.options.push_back("-I" + (ignored ? folder : whole.lexically_normal().string()));
}

void OpenedFile::define(const std::string& definition) {
  const std::string name = "-D" + definition.substr(0, definition.find('='));
  std::erase_if(question_.options,
                [&](const std::string& option) { return option == name || option.starts_with(name + "="); });
  question_.options.push_back("-D" + definition);
}

void OpenedFile::forget_choices() {
  question_.chosen.clear();
}

bool OpenedFile::has_choices() const {
  return !question_.chosen.empty();
}

const std::vector<LaunchRow>& OpenedFile::launch() const {
  static const std::vector<LaunchRow> none;
  const auto found = launches_.find(shown_entry());
  return found == launches_.end() ? none : found->second;
}

std::optional<ChosenFile> OpenedFile::recorded_file() const {
  if (!shown_ || !asked_ || waits() || !has_run(shown_->point.status)) return std::nullopt;
  ChosenFile file{subject_, asked_->chosen, asked_->options, asked_->device};
  file.subject.entry = shown_->point.entry;
  file.subject.launch = SentFile{"the launch", shown_->point.launch};
  return file;
}

std::string OpenedFile::activity() const {
  return waits() && !request_.waits() ? "reading " + question_.file.filename().string() : "";
}

void OpenedFile::send() {
  cancel();
  problem_.clear();
  state_ = State::reads;
  task_.start([this, file = asked_->file, has_choices = !asked_->chosen.empty()] {
    auto read =
        std::make_shared<std::variant<OpenedSubject, std::string>>(read_opened_subject(file, has_choices));
    return [this, read] {
      if (auto* sentence = std::get_if<std::string>(read.get())) return fail(std::move(*sentence));
      OpenFile::Params params;
      auto& opened = std::get<OpenedSubject>(*read);
      params.subject = std::move(opened.subject);
      left_aside_ = std::move(opened.left_aside);
      ask(std::move(params));
    };
  });
}

void OpenedFile::ask(OpenFile::Params params) {
  add_tensors(params);
  subject_ = params.subject;
  params.subject.entry = asked_->entry;
  params.chosen = asked_->chosen;
  params.device = asked_->device;
  try {
    params.options = with_launch_options(left_aside_, asked_->options);
  } catch (const LaunchFileError& error) {
    return fail(error.what());
  }
  state_ = State::waits;
  const auto done = [this](OpenedPoint point) {
    const auto kept = std::make_shared<const OpenedPoint>(std::move(point));
    keep_as(*asked_, kept);
    take(kept);
  };
  request_ = board_.parts.jobs.request<OpenFile>(tag, std::move(params), {done});
}

void OpenedFile::take(std::shared_ptr<const OpenedPoint> point) {
  task_.start([this, point = std::move(point), file = asked_->file, chosen = asked_->chosen] {
    const auto view = std::make_shared<const OpenedFileView>(opened_file_view(*point, file));
    return [this, view, chosen] { end(view, chosen); };
  });
}

void OpenedFile::end(std::shared_ptr<const OpenedFileView> view, const ChosenValues& chosen) {
  if (!view->point.entry.empty()) answered_ = view->point.entry;
  // A source that does not compile with a chosen constant has no entry, and one that is the argument of a template
  // changes it: the form keeps its rows.
  const std::string& entry = asked_->entry.empty() ? view->point.entry : asked_->entry;
  if (!entry.empty()) {
    launches_[entry] = launch_rows(launches_[entry], view->point, chosen);
  }
  shown_ = std::move(view);
  state_ = State::idle;
}

void OpenedFile::fail(std::string sentence) {
  problem_ = std::move(sentence);
  shown_ = nullptr;
  state_ = State::idle;
}

/// Watches the folder, since an editor that saves by renaming removes the file. Its other files change nothing.
void OpenedFile::watch() {
  watch_ = nullptr;
  self_ = std::make_shared<OpenedFile*>(this);
  const fs::path file = question_.file;
  const auto reload_later = [self = std::weak_ptr(self_), &background = board_.parts.background] {
    background.start([self] {
      return [self] {
        if (const auto here = self.lock()) (*here)->reload();
      };
    });
  };
  FolderWatch::Callbacks callbacks;
  callbacks.changed = [file, reload_later, file_seen = look_at(file),
                       launch_seen = look_at(launch_sidecar(file))]() mutable {
    const SeenFile file_now = look_at(file), launch_now = look_at(launch_sidecar(file));
    const bool is_changed = file_now != file_seen || launch_now != launch_seen;
    file_seen = file_now;
    launch_seen = launch_now;
    if (is_changed) reload_later();
  };
  // The panel has a button for it.
  callbacks.failed = [](const std::string&) {};
  try {
    watch_ = std::make_unique<FolderWatch>(file.parent_path(), std::move(callbacks),
                                           FolderWatch::Depth::folder_alone);
  } catch (const std::exception&) {
    watch_ = nullptr;
  }
}

}  // namespace tilescope
