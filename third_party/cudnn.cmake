# Headers only: cuDNN's own and those of its frontend, which makes the graphs that cuDNN plans. The library is opened at
# run time, and the frontend looks up its functions in it. The frontend's JSON support is left out, because it has its
# own nlohmann/json.
add_library(cudnn_frontend INTERFACE)
target_include_directories(cudnn_frontend SYSTEM INTERFACE ${TILESCOPE_DEPENDENCIES}/cudnn/include)
target_compile_definitions(cudnn_frontend INTERFACE NV_CUDNN_FRONTEND_USE_DYNAMIC_LOADING CUDNN_FRONTEND_SKIP_JSON_LIB)
target_link_libraries(cudnn_frontend INTERFACE cuda_headers ${CMAKE_DL_LIBS})
