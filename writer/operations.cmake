# iprof_operations: what the tool does with profiles: check, merge, diff, overlap, summary, conversions and the
# consumer's view. Included by writer/CMakeLists.txt.
find_package(Threads REQUIRED)
iprof_room(iprof_operations
  SOURCES
    check.cc
    check_names.cc
    check_rules.cc
    check_successors.cc
    consumer_view.cc
    convert.cc
    diff.cc
    flat_profile.cc
    merge.cc
    merge_canonical.cc
    merge_mapping.cc
    overlap.cc
    summary.cc
  LIBS iprof_image iprof_writer Threads::Threads)

iprof_test(writer_operations_test
  SOURCES
    branch_outcomes_test.cc
    check_test.cc
    consumer_view_test.cc
    convert_test.cc
    diff_test.cc
    flat_profile_test.cc
    merge_test.cc
    overlap_test.cc
    summary_test.cc
  LIBS iprof_operations iprof_sample_profiles)
