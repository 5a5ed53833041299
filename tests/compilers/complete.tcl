# Exit with 1 if the file holds a command without its end.
set file [open [lindex $argv 0]]
exit [expr {![info complete [read $file]]}]
