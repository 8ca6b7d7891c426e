# Headers only: cuda.h, nvrtc.h, cuda_occupancy.h, cupti. The libraries are opened at run time. nvrtc.h comes with the
# NVRTC that the set-up fetched for this driver, in a separate folder beside its other headers.
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE
  ${TILESCOPE_DEPENDENCIES}/cuda/include ${TILESCOPE_DEPENDENCIES}/cuda/include/cccl
  ${TILESCOPE_DEPENDENCIES}/cuda13 ${TILESCOPE_DEPENDENCIES}/cuda12)
