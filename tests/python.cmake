# The Python package, where RITZ_PYTHON has what it needs: cffi, NumPy and pytest.
execute_process(COMMAND ${RITZ_PYTHON} -c "import cffi, numpy, pytest" RESULT_VARIABLE no_cffi OUTPUT_QUIET ERROR_QUIET)
if(NOT no_cffi AND NOT RITZ_SANITIZE AND TARGET ritz_program)
  foreach(name IN ITEMS layout ritz supports random compile dolfinx program plot picture report tutorials)
    add_test(NAME python-${name} COMMAND ${RITZ_PYTHON} -m pytest -q -p no:cacheprovider ${CMAKE_CURRENT_SOURCE_DIR}/python/test_${name}.py)
    set_tests_properties(python-${name} PROPERTIES TIMEOUT 300 SKIP_RETURN_CODE 5 # of pytest: all is skipped, for packages that are missing
      ENVIRONMENT "${test_environment};RITZ_LIBRARY=${PROJECT_BINARY_DIR};PYTHONDONTWRITEBYTECODE=1")
  endforeach()
endif()
