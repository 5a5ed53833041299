; A harbour and its readings.
%define LIMIT 31
        section .data
levels: dd      1, 2, 0x1F
count   equ     3
text:   db      "line of 'it'", 10, 0

        section .bss
buffer: resb    64

        section .text
        global  _start
        extern  printf

; The largest change.
swing:
        push    ebp
        mov     ebp, esp
        mov     esi, [ebp+8]
        mov     ecx, [ebp+12]
        xor     eax, eax
.next:
        dec     ecx
        jz      .done
        mov     edx, [esi+4]
        sub     edx, dword [esi]
        jns     .large
        neg     edx
.large:
        cmp     edx, eax        ; never shrinks
        jle     .skip
        mov     eax, edx
.skip:
        add     esi, 4
        jmp     .next
.done:
        pop     ebp
        ret

_start:
        push    count
        push    levels
        call    swing
        add     esp, 8
        shl     eax, 2
        lea     ebx, [eax*4+text]
        mov     byte [buffer], 'c'
        rep     movsb
        mov     eax, 1
        int     0x80
