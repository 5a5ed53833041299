"""Array types of the engine. Each name stands for one dtype and number of dimensions in all modules.

The kernels are compiled for them: `Annotated` has the number of dimensions where there is more than one.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np
import numpy.typing as npt

Flags = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
FloatRows = Annotated[npt.NDArray[np.float64], 2]

# int32: consecutive numbers, and positions within one document
Counts = npt.NDArray[np.int32]
FileRows = Annotated[npt.NDArray[np.int32], 2]
Ids = npt.NDArray[np.int32]
Lines = npt.NDArray[np.int32]
Offsets = npt.NDArray[np.int32]
Owners = npt.NDArray[np.int32]
PairRows = Annotated[npt.NDArray[np.int32], 2]
PartCounts = Annotated[npt.NDArray[np.int32], 2]
PassageRows = Annotated[npt.NDArray[np.int32], 2]

# int64: positions within a cohort or a collection
Bounds = npt.NDArray[np.int64]
Documents = npt.NDArray[np.int64]
Positions = npt.NDArray[np.int64]
Rows = Annotated[npt.NDArray[np.int64], 2]
Runs = Annotated[npt.NDArray[np.int64], 2]

# uint8 and uint32: token classes, bit sets and ranks
Bytes = npt.NDArray[np.uint8]
ByteRows = Annotated[npt.NDArray[np.uint8], 2]
Classes = npt.NDArray[np.uint8]
Marks = npt.NDArray[np.uint32]
Ranks = npt.NDArray[np.uint32]
RankRows = Annotated[npt.NDArray[np.uint32], 2]

# uint64: hashes, and values computed from hashes
Hashes = npt.NDArray[np.uint64]
HashRows = Annotated[npt.NDArray[np.uint64], 2]
Kinds = npt.NDArray[np.uint64]
Terms = npt.NDArray[np.uint64]
Words = npt.NDArray[np.uint64]
WordRows = Annotated[npt.NDArray[np.uint64], 2]

# Arguments of any integer dtype; the function converts them
Integers = npt.NDArray[np.integer]
