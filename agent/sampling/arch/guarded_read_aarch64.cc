// For tests: HotSpot's guarded read, as libjvm has it. Its fault is for HotSpot's handler.
asm(R"(
.text
.globl iprof_test_guarded_read
iprof_test_guarded_read:
  ldr w0, [x0]
  ret
  mov x0, x1
  ret
)");
