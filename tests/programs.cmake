# Tests of the whole program and of the installed tree, and the fuzz targets. Labels: install, examples.
if(TARGET ritz_program)
  add_test(NAME install COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consumer/run.sh ${PROJECT_BINARY_DIR})
  set_tests_properties(install PROPERTIES LABELS install)

  # The examples against what is known about them, read back with VTK by RITZ_PYTHON.
  if(RITZ_GMSH AND NOT no_vtk)
    foreach(example IN ITEMS le1 le10 le11 t1 t2 t4 cook cantilever thick_cylinder lame_ring spinning_disc bimetal remote_load
        crystal poisson bracket load_cases repeat)
      add_test(NAME example-${example} COMMAND ${RITZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/examples/run.py
        $<TARGET_FILE:ritz_program> ${example})
      set_tests_properties(example-${example} PROPERTIES LABELS examples ENVIRONMENT "${test_environment}")
    endforeach()
  endif()
endif()

# The tasks of docs/tasks.md, one of which is a STEP file.
if(TARGET ritz_program AND RITZ_GMSH)
  add_test(NAME tasks COMMAND ${RITZ_PYTHON} ${CMAKE_CURRENT_SOURCE_DIR}/tasks/run.py $<TARGET_FILE:ritz_program>
    ${PROJECT_SOURCE_DIR})
  set_tests_properties(tasks PROPERTIES LABELS examples ENVIRONMENT "${test_environment}")
endif()

# libFuzzer targets: fuzz_ROOM.c beside a corpus in corpus/ROOM; run by ./check.
if(RITZ_FUZZ)
  foreach(room IN ITEMS mesh problem deck)
    if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz_${room}.c)
      add_executable(fuzz_${room} fuzz_${room}.c)
      target_link_libraries(fuzz_${room} PRIVATE room_${room})
      target_link_options(fuzz_${room} PRIVATE -fsanitize=fuzzer)
    endif()
  endforeach()
endif()
