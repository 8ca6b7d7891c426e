# Headers alone: cuda.h, nvrtc.h, cuda_occupancy.h, cupti. The libraries are opened when the program runs.
add_library(cuda_headers INTERFACE)
target_include_directories(cuda_headers SYSTEM INTERFACE ${TILESCOPE_DEPENDENCIES}/cuda/include
                                                         ${TILESCOPE_DEPENDENCIES}/cuda/include/cccl)
