// For tests: a copy of HotSpot's guarded read in libjvm. HotSpot's handler handles its fault.
asm(R"(
.text
.globl iprof_test_guarded_read
iprof_test_guarded_read:
  movl (%rdi), %eax
  ret
  movl %esi, %eax
  ret
)");
