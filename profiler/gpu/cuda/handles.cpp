#include "profiler/gpu/cuda/handles.hpp"

#include <stdexcept>

namespace tilescope::cuda {

void destroy_module(CUmodule module) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(ModuleUnload(module));
}
void destroy_stream(CUstream stream) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(StreamDestroy(stream));
}
void destroy_event(CUevent event) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(EventDestroy(event));
}
void destroy_graph(CUgraph graph) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(GraphDestroy(graph));
}
void destroy_graph_exec(CUgraphExec graph) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(GraphExecDestroy(graph));
}
void free_device(CUdeviceptr memory) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(MemFree(memory));
}
void free_host(void* memory) noexcept {
  TILESCOPE_CUDA_CHECK_NOEXCEPT(MemFreeHost(memory));
}

PrimaryContext::PrimaryContext(int ordinal) {
  CUdevice device = no_device;
  TILESCOPE_CUDA_CHECK(DeviceGet(&device, ordinal));
  CUcontext context = nullptr;
  TILESCOPE_CUDA_CHECK(DevicePrimaryCtxRetain(&context, device));
  const CUresult made_current = Driver::get().calls().CtxSetCurrent(context);
  if (made_current != CUDA_SUCCESS) {
    TILESCOPE_CUDA_CHECK_NOEXCEPT(DevicePrimaryCtxRelease(device));
    throw CudaError(made_current, "cuCtxSetCurrent(context)", __FILE__, __LINE__);
  }
  device_ = device;
}

PrimaryContext::~PrimaryContext() {
  if (device_ != no_device) TILESCOPE_CUDA_CHECK_NOEXCEPT(DevicePrimaryCtxRelease(device_));
}

int PrimaryContext::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  TILESCOPE_CUDA_CHECK(DeviceGetAttribute(&value, attribute, device_));
  return value;
}

Module::Module(std::span<const char> cubin) {
  TILESCOPE_CUDA_CHECK(ModuleLoadDataEx(module_.receive(), cubin.data(), 0, nullptr, nullptr));
}

CUfunction Module::function(const std::string& entry) const {
  CUfunction function = nullptr;
  TILESCOPE_CUDA_CHECK(ModuleGetFunction(&function, module_.get(), entry.c_str()));
  return function;
}

Stream::Stream() {
  TILESCOPE_CUDA_CHECK(StreamCreate(stream_.receive(), CU_STREAM_NON_BLOCKING));
}

void Stream::synchronize() const {
  TILESCOPE_CUDA_CHECK(StreamSynchronize(stream_.get()));
}

Event::Event() {
  TILESCOPE_CUDA_CHECK(EventCreate(event_.receive(), CU_EVENT_DEFAULT));
}

void Event::record(const Stream& stream) const {
  TILESCOPE_CUDA_CHECK(EventRecord(event_.get(), stream.get()));
}

void Event::record_in_graph(const Stream& stream) const {
  TILESCOPE_CUDA_CHECK(EventRecordWithFlags(event_.get(), stream.get(), CU_EVENT_RECORD_EXTERNAL));
}

void Event::synchronize() const {
  TILESCOPE_CUDA_CHECK(EventSynchronize(event_.get()));
}

double Event::microseconds_since(const Event& start) const {
  float milliseconds = 0;
  TILESCOPE_CUDA_CHECK(EventElapsedTime(&milliseconds, start.get(), event_.get()));
  return static_cast<double>(milliseconds) * 1e3;
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  if (bytes > 0) TILESCOPE_CUDA_CHECK(MemAlloc(memory_.receive(), bytes));
}

void DeviceBuffer::upload(std::span<const std::byte> from, const Stream& stream) {
  if (from.size() > bytes_) throw std::out_of_range("upload of more bytes than the device's buffer holds");
  if (from.empty()) return;
  TILESCOPE_CUDA_CHECK(MemcpyHtoDAsync(get(), from.data(), from.size(), stream.get()));
  stream.synchronize();
}

void DeviceBuffer::download(std::span<std::byte> to, const Stream& stream) const {
  if (to.size() > bytes_) throw std::out_of_range("download of more bytes than the device's buffer holds");
  if (to.empty()) return;
  TILESCOPE_CUDA_CHECK(MemcpyDtoHAsync(to.data(), get(), to.size(), stream.get()));
  stream.synchronize();
}

void DeviceBuffer::fill(unsigned char value, const Stream& stream) {
  if (bytes_ > 0) TILESCOPE_CUDA_CHECK(MemsetD8Async(get(), value, bytes_, stream.get()));
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  TILESCOPE_CUDA_CHECK(MemHostAlloc(memory_.receive(), bytes, CU_MEMHOSTALLOC_PORTABLE));
}

GraphExec GraphExec::capture(const Stream& stream, const std::function<void()>& enqueue) {
  Handle<CUgraph, destroy_graph> graph;
  TILESCOPE_CUDA_CHECK(StreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  try {
    enqueue();
  } catch (...) {
    // A capture that a failed call has invalidated ends with an error and without a graph. Both are expected here.
    Driver::get().calls().StreamEndCapture(stream.get(), graph.receive());
    throw;
  }
  TILESCOPE_CUDA_CHECK(StreamEndCapture(stream.get(), graph.receive()));
  GraphExec result;
  TILESCOPE_CUDA_CHECK(GraphInstantiate(result.exec_.receive(), graph.get(), 0));
  TILESCOPE_CUDA_CHECK(GraphUpload(result.exec_.get(), stream.get()));
  return result;
}

void GraphExec::launch(const Stream& stream) const {
  TILESCOPE_CUDA_CHECK(GraphLaunch(exec_.get(), stream.get()));
}

}  // namespace tilescope::cuda
