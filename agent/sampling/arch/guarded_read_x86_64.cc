// For tests: HotSpot's guarded read, as libjvm has it. Its fault is for HotSpot's handler.
asm(R"(
.text
.globl iprof_test_guarded_read
iprof_test_guarded_read:
  movl (%rdi), %eax
  ret
  movl %esi, %eax
  ret
)");
