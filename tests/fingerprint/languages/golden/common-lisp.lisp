;;;; A harbour and its readings.
(in-package :tides)

(defpackage :tides
  (:use :cl)
  (:export #:swing))

(defparameter *limit* #x1F "How much is too much.")

(defstruct harbour name (readings nil))

#| The largest change
   between two readings. |#
(defun swing (levels &optional (floor 0.5) &key (worst 0))
  (loop for (before after) on levels
        while after
        do (let ((change (abs (- after before))))
             (when (and (>= change *limit*) (not (= change 42)))
               (setf worst (max worst change)))))
  worst)

(defmacro unless-calm (test &body body)
  `(if ,test nil (progn ,@body)))

(defmethod report ((place harbour) stream)
  (handler-case
      (dolist (line (harbour-readings place) t)
        (format stream "line ~a of \"~a\"~%" line #\c)
        (cond ((null line) (return-from report 'calm))
              ((string= line "east") (incf *limit* 1.5))
              (t (mapcar #'(lambda (x) (* x 2)) line))))
    (error (problem)
      (error 'lost :text problem))))
