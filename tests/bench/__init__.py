"""`make bench`: what Carreira costs, as ratios to floors measured in the same run."""
