"""Constants of the checks of `moss doctor`."""
