# A harbour and its readings.
        .data
levels: .word   1, 2, 0x1F
text:   .asciiz "line of \"it\"\n"
        .text
        .globl  main

# The largest change.
swing:  addi    $sp, $sp, -8
        sw      $ra, 4($sp)
        sw      $s0, 0($sp)
        li      $v0, 0
        move    $t0, $a0
next:   beq     $a1, $zero, done
        lw      $t1, 0($t0)
        lw      $t2, 4($t0)
        sub     $t3, $t2, $t1
        bgez    $t3, large
        negu    $t3, $t3
large:  slt     $t4, $v0, $t3      # never shrinks
        beqz    $t4, skip
        move    $v0, $t3
skip:   addiu   $t0, $t0, 4
        addi    $a1, $a1, -1
        j       next
done:   lw      $ra, 4($sp)
        lw      $s0, 0($sp)
        addi    $sp, $sp, 8
        jr      $ra

main:   la      $a0, levels
        li      $a1, 2
        jal     swing
        sll     $a0, $v0, 2
        mult    $a0, $v0
        mflo    $a0
        li      $v0, 1
        syscall
        la      $a0, text
        li      $v0, 4
        syscall
        li      $v0, 10
        syscall
