# A harbour and its readings.
library(dplyr)
require("ggplot2")
source('place.R')

limit <- 0x1F

swing <- function(levels, floor = 0.5, ...) {
  worst <- 0 # never shrinks
  for (i in 2:length(levels)) {
    change <- abs(levels[i] - levels[[i - 1]])
    if (change >= limit && !(change == 42) || worst != 7L) {
      worst <- max(worst, change^2)
    } else if (is.na(change)) {
      next
    } else {
      break
    }
  }
  return(worst)
}

report <- function(place) {
  tryCatch({
    result <- switch(place$name, east = "calm", "west" = 'rou"gh', NULL)
    cat(sprintf("line %s of %d\n", place$name, nrow(place)))
    doubled = sapply(1:10, function(x) x * 2)
    place %>% filter(level > 1.5e3 & !is.na(when)) %>% mutate(twice = level %% 2)
  }, error = function(problem) stop("no line"))
  while (TRUE) repeat { doubled[["x"]] <<- c(1, NA, Inf) }
  lm(level ~ when, data = place)
}
