# Headers alone: cuda.h, nvrtc.h, cuda_occupancy.h, cupti. The libraries are opened when the program runs. nvrtc.h comes
# with whichever NVRTC the set-up fetched for the driver here, and lies beside that one's other headers, not among them.
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE
  ${TILESCOPE_DEPENDENCIES}/cuda/include ${TILESCOPE_DEPENDENCIES}/cuda/include/cccl
  ${TILESCOPE_DEPENDENCIES}/cuda13 ${TILESCOPE_DEPENDENCIES}/cuda12)
