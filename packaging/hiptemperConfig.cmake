# find_package(hiptemper) gives the target hiptemper::hiptemper.
include("${CMAKE_CURRENT_LIST_DIR}/hiptemperTargets.cmake")
