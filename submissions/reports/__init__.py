"""Reports: ranking an assignment, its lists of pairs, what is left out, exports."""
