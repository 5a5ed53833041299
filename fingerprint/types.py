"""Array types of the engine. Each name means one dtype, in every module."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# int32: dense numbers and places within one document
Counts = npt.NDArray[np.int32]
Ids = npt.NDArray[np.int32]
Lines = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int32]
Owners = npt.NDArray[np.int32]

# int64: places within a cohort or a collection
Bounds = npt.NDArray[np.int64]
Documents = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
Runs = npt.NDArray[np.int64]

# uint8 and uint32: classes, bits and ranks
Classes = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.uint32]
Ranks = npt.NDArray[np.uint32]

# uint64: hashes and what is made of them
Hashes = npt.NDArray[np.uint64]
Kinds = npt.NDArray[np.uint64]
Terms = npt.NDArray[np.uint64]
Words = npt.NDArray[np.uint64]

# Arguments that are converted
Integers = npt.NDArray[np.integer]
