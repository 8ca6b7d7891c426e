#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "profiler/gpu/cuda/cuda_error.hpp"

/// One owner per driver handle. All can be moved, but not copied. The context in which they were made must be current
/// on the thread that uses and destroys them. Failures throw CudaError; destructors report them on stderr.
namespace tilescope::cuda {

/// A handle and its destructor.
template <typename T, void (*destroy)(T) noexcept>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, T{})) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      handle_ = std::exchange(other.handle_, T{});
    }
    return *this;
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() { reset(); }

  T get() const { return handle_; }
  /// The place for a new handle that the driver writes; an old one is destroyed first.
  T* receive() {
    reset();
    return &handle_;
  }
  void reset() noexcept {
    if (handle_ != T{}) destroy(std::exchange(handle_, T{}));
  }

 private:
  T handle_{};
};

void destroy_module(CUmodule module) noexcept;
void destroy_stream(CUstream stream) noexcept;
void destroy_event(CUevent event) noexcept;
void destroy_graph(CUgraph graph) noexcept;
void destroy_graph_exec(CUgraphExec graph) noexcept;
void free_device(CUdeviceptr memory) noexcept;
void free_host(void* memory) noexcept;

/// The primary context of a device, retained and made current on this thread.
class PrimaryContext {
 public:
  explicit PrimaryContext(int ordinal);
  PrimaryContext(PrimaryContext&& other) noexcept : device_(std::exchange(other.device_, no_device)) {}
  PrimaryContext& operator=(PrimaryContext&&) =
      delete;  // One at a time: otherwise the first would stay current.
  PrimaryContext(const PrimaryContext&) = delete;
  PrimaryContext& operator=(const PrimaryContext&) = delete;
  ~PrimaryContext();

  CUdevice device() const { return device_; }
  int attribute(CUdevice_attribute attribute) const;

 private:
  static constexpr CUdevice no_device = -1;
  CUdevice device_ = no_device;
};

/// Machine code in the current context.
class Module {
 public:
  explicit Module(std::span<const char> cubin);
  /// Throws CudaError (CUDA_ERROR_NOT_FOUND) when there is no such entry.
  CUfunction function(const std::string& entry) const;

 private:
  Handle<CUmodule, destroy_module> module_;
};

/// A stream that does not wait for the legacy default stream.
class Stream {
 public:
  Stream();
  CUstream get() const { return stream_.get(); }
  void synchronize() const;

 private:
  Handle<CUstream, destroy_stream> stream_;
};

/// An event with a time stamp.
class Event {
 public:
  Event();
  CUevent get() const { return event_.get(); }
  void record(const Stream& stream) const;
  /// Records it in the graph that is captured on `stream`, each time the graph runs.
  void record_in_graph(const Stream& stream) const;
  void synchronize() const;
  /// The time from `start` to this event; both must have passed. [us] The driver's tick is about 1 us, finer on newer
  /// GPUs.
  double microseconds_since(const Event& start) const;

 private:
  Handle<CUevent, destroy_event> event_;
};

/// Memory of the device.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t bytes);
  CUdeviceptr get() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }

  /// Both wait until the copy is done. Throw std::out_of_range when the span is larger than the buffer.
  void upload(std::span<const std::byte> from, const Stream& stream);
  void download(std::span<std::byte> to, const Stream& stream) const;
  /// Sets every byte, in stream order. 0xFF makes every half, bfloat16 and float a NaN.
  void fill(unsigned char value, const Stream& stream);

 private:
  Handle<CUdeviceptr, free_device> memory_;
  std::size_t bytes_ = 0;
};

/// Page-locked memory of the host, which kernels can write to by the same address.
class PinnedBuffer {
 public:
  explicit PinnedBuffer(std::size_t bytes);
  void* get() const { return memory_.get(); }
  std::size_t bytes() const { return bytes_; }
  CUdeviceptr device_address() const { return reinterpret_cast<CUdeviceptr>(memory_.get()); }

 private:
  Handle<void*, free_host> memory_;
  std::size_t bytes_ = 0;
};

/// A graph that is ready for launch.
class GraphExec {
 public:
  GraphExec() = default;
  /// Captures what `enqueue` puts on the stream, and instantiates it. If it throws, the capture is ended and discarded.
  static GraphExec capture(const Stream& stream, const std::function<void()>& enqueue);
  void launch(const Stream& stream) const;
  explicit operator bool() const { return exec_.get() != nullptr; }

 private:
  Handle<CUgraphExec, destroy_graph_exec> exec_;
};

template <typename T>
inline constexpr bool is_move_only = std::is_nothrow_move_constructible_v<T> &&
                                     !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(is_move_only<PrimaryContext> && !std::is_move_assignable_v<PrimaryContext>);
static_assert(is_move_only<Module> && is_move_only<Stream> && is_move_only<Event>);
static_assert(is_move_only<DeviceBuffer> && is_move_only<PinnedBuffer> && is_move_only<GraphExec>);

}  // namespace tilescope::cuda
