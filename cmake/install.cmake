# What is installed: the program, the library and its headers, the documentation, ritz.pc, and a CMake package (find_package(ritz), ritz::ritz).
# All of it may be moved to another prefix afterwards.
include(CMakePackageConfigHelpers)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/ritz)
install(TARGETS ritz EXPORT ritz-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ritz_program)
  install(TARGETS ritz_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
if(TARGET ritz_gmsh)
  install(TARGETS ritz_gmsh RUNTIME DESTINATION ${RITZ_LIBEXEC})
endif()
install(FILES include/ritz.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ritz DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(DIRECTORY share/ritz/tuning DESTINATION ${CMAKE_INSTALL_DATADIR}/ritz)
install(DIRECTORY python/ritz DESTINATION ${CMAKE_INSTALL_DATADIR}/ritz/python FILES_MATCHING PATTERN "*.py")
install(DIRECTORY include/ritz/ DESTINATION ${CMAKE_INSTALL_DATADIR}/ritz/python/ritz/include FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md CHANGELOG.md CONTRIBUTING.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg")
install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.yaml" PATTERN "*.geo"
  PATTERN "api/*.c" PATTERN "api/*.msh" PATTERN "python/*.py")

install(EXPORT ritz-targets NAMESPACE ritz:: DESTINATION ${package_folder})
configure_package_config_file(cmake/ritz-config.cmake.in ${PROJECT_BINARY_DIR}/ritz-config.cmake
  INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ritz-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ritz-config.cmake ${PROJECT_BINARY_DIR}/ritz-config-version.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH RITZ_PC_TO_PREFIX /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/ritz.pc.in ${PROJECT_BINARY_DIR}/ritz.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ritz.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
