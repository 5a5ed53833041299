"""Array types of the engine. Each name stands for one dtype in all modules."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# int32: consecutive numbers, and positions within one document
Counts = npt.NDArray[np.int32]
Ids = npt.NDArray[np.int32]
Lines = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int32]
Owners = npt.NDArray[np.int32]
PassageRows = npt.NDArray[np.int32]

# int64: positions within a cohort or a collection
Bounds = npt.NDArray[np.int64]
Documents = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int64]
Rows = npt.NDArray[np.int64]
Runs = npt.NDArray[np.int64]

# uint8 and uint32: token classes, bit sets and ranks
Classes = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.uint32]
Ranks = npt.NDArray[np.uint32]

# uint64: hashes, and values computed from hashes
Hashes = npt.NDArray[np.uint64]
Kinds = npt.NDArray[np.uint64]
Terms = npt.NDArray[np.uint64]
Words = npt.NDArray[np.uint64]

# Arguments of any integer dtype; the function converts them
Integers = npt.NDArray[np.integer]
