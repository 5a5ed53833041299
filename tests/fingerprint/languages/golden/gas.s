	.file	"tides.c"
# A harbour and its readings.
	.text
	.globl	swing
	.type	swing, @function
levels:
	.long	1, 2, 0x1F
text:
	.string	"line of \"it\" 'x'\n"
/* The largest
   change. */
swing:
	.cfi_startproc
	pushq	%rbp
	movq	%rsp, %rbp
	movl	$0, %eax
	movl	$1, %ecx
.Lnext:
	cmpl	%esi, %ecx
	jge	.Ldone
	movl	(%rdi,%rcx,4), %edx
	subl	-4(%rdi,%rcx,4), %edx
	jns	.Llarge
	negl	%edx
.Llarge:
	cmpl	%eax, %edx	# never shrinks
	jle	.Lskip
	movl	%edx, %eax
.Lskip:
	addl	$1, %ecx
	jmp	.Lnext
.Ldone:
	popq	%rbp
	ret
	.cfi_endproc
main:
	leaq	text(%rip), %rdi
	movb	$'c', %al
	call	puts@PLT
	leaq	levels(%rip), %rdi
	movl	$3, %esi
	call	swing
	shll	$2, %eax
	xorl	%eax, %eax
	ret
