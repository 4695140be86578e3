// SPDX-License-Identifier: Apache-2.0

#include "textflag.h"

// func removeAVX2(column *float32, cuts *cut, n int, sets *rowSet)
// Requires: AVX2
TEXT ·removeAVX2(SB), NOSPLIT, $0-32
	MOVQ column+0(FP), AX
	MOVQ cuts+8(FP), BX
	MOVQ n+16(FP), CX
	MOVQ sets+24(FP), DX

	// Packing interleaves the halves of vectors: with rows 0-3 and 16-19 in the first,
	// 4-7 and 20-23 in the second and so on, bytes come out in the order of the rows.
	VMOVUPS     (AX), X0
	VINSERTF128 $1, 64(AX), Y0, Y0
	VMOVUPS     16(AX), X1
	VINSERTF128 $1, 80(AX), Y1, Y1
	VMOVUPS     32(AX), X2
	VINSERTF128 $1, 96(AX), Y2, Y2
	VMOVUPS     48(AX), X3
	VINSERTF128 $1, 112(AX), Y3, Y3

next:
	// A byte of ones for each row above the threshold; NaN is not above (GT_OQ).
	VBROADCASTSS (BX), Y4
	VCMPPS       $0x1e, Y4, Y0, Y5
	VCMPPS       $0x1e, Y4, Y1, Y6
	VCMPPS       $0x1e, Y4, Y2, Y7
	VCMPPS       $0x1e, Y4, Y3, Y8
	VPACKSSDW    Y6, Y5, Y5
	VPACKSSDW    Y8, Y7, Y7
	VPACKSSWB    Y7, Y5, Y5
	VPMOVMSKB    Y5, SI
	TESTL        SI, SI
	JZ           done

	// sets[tree] &^= removed, in these rows.
	MOVL         4(BX), DI
	SHLQ         $5, DI
	VPBROADCASTB 8(BX), Y6
	VPAND        Y6, Y5, Y5
	VPANDN       (DX)(DI*1), Y5, Y5
	VMOVDQU      Y5, (DX)(DI*1)
	ADDQ         $12, BX
	DECQ         CX
	JNZ          next

done:
	VZEROUPPER
	RET
