// What instrumented code calls in the middle of its own work: the next word of the path log, a full value buffer,
// a point under control. The gates keep every general register but r11, and the lower halves of the vector
// registers, so that a rare call costs the code around it nothing: no register of the program is saved for its
// sake, and the register allocator sees no call. In LLVM's words: preserve_all, and preserve_most (the names that
// end in `_avx`) for code that also uses the upper halves.
#include "profiler/runtime/runtime.h"

// Calls a C function with everything that it may change saved; "rax" below the frame takes its result.
asm(R"(
.macro symbiosis_gate name
  .globl \name, \name\()_avx
  .hidden \name, \name\()_avx
  .type \name, @function
  .type \name\()_avx, @function
\name:
\name\()_avx:
.endm

.macro symbiosis_save
  .set symbiosis_at, 8
  .irp register, rax, rcx, rdx, rsi, rdi, r8, r9, r10
  pushq %\register
  .set symbiosis_at, symbiosis_at + 8
  .cfi_def_cfa_offset symbiosis_at
  .endr
  subq $264, %rsp
  .cfi_def_cfa_offset symbiosis_at + 264
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movaps %xmm\number, 16*\number(%rsp)
  .endr
.endm

.macro symbiosis_restore
  .irp number, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
  movaps 16*\number(%rsp), %xmm\number
  .endr
  addq $264, %rsp
  .cfi_def_cfa_offset symbiosis_at
  .irp register, r10, r9, r8, rdi, rsi, rdx, rcx, rax
  popq %\register
  .set symbiosis_at, symbiosis_at - 8
  .cfi_def_cfa_offset symbiosis_at
  .endr
.endm

.set symbiosis_result, 264 + 56

  .hidden __symbiosis_shadow
  .hidden __symbiosis_noticed
  .text
  .p2align 4
# rdi: where the next word goes; returns where it went.
symbiosis_gate __symbiosis_next_word
  .cfi_startproc
  movq $1, (%rdi)
  movq %rdi, %fs:__symbiosis_path@tpoff
  cmpq %fs:__symbiosis_path_limit@tpoff, %rdi
  jae 1f
  movq %rdi, %rax
  ret
1:
  symbiosis_save
  call __symbiosis_path_more
  movq %rax, symbiosis_result(%rsp)
  symbiosis_restore
  ret
  .cfi_endproc

  .p2align 4
# rdi: behind the last value; returns where the next one goes.
symbiosis_gate __symbiosis_drain_values
  .cfi_startproc
  symbiosis_save
  call __symbiosis_drain
  movq %rax, symbiosis_result(%rsp)
  symbiosis_restore
  ret
  .cfi_endproc

  .p2align 4
# rdi: address; rsi: kind in the upper half, number in the lower.
symbiosis_gate __symbiosis_pass_point
  .cfi_startproc
  movq %fs:__symbiosis_point_index@tpoff, %r11
  incq %fs:__symbiosis_point_index@tpoff
  cmpq %fs:__symbiosis_point_stop@tpoff, %r11
  jae 1f
# The thread may pass: is what it is about to touch still there? (control/held_blocks.cpp)
2:
  cmpq $0, __symbiosis_shadow(%rip)
  je 3f
  movq %rdi, %r11
  shlq $17, %r11
  shrq $21, %r11
  addq __symbiosis_shadow(%rip), %r11
  cmpb $1, (%r11)
  je 4f
3:
  ret
# The thread is asked, unless nobody else would notice (control/contention.cpp).
1:
  movq __symbiosis_noticed(%rip), %r11
  testq %r11, %r11
  je 5f
  btl %esi, (%r11)
  jc 5f
  decq %fs:__symbiosis_point_patience@tpoff
  jns 2b
5:
  symbiosis_save
  movl %esi, %edx
  shrq $32, %rsi
  call __symbiosis_point
  symbiosis_restore
  jmp 2b
4:
  symbiosis_save
  movl %esi, %edx
  shrq $32, %rsi
  call __symbiosis_gone
  symbiosis_restore
  ret
  .cfi_endproc
)");
