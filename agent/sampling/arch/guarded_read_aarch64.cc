// For tests: a copy of HotSpot's guarded read in libjvm. HotSpot's handler handles its fault.
asm(R"(
.text
.globl iprof_test_guarded_read
iprof_test_guarded_read:
  ldr w0, [x0]
  ret
  mov x0, x1
  ret
)");
