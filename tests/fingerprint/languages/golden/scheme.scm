; A harbour and its readings.
(import (scheme base) (scheme write))

(define limit #x1F)

#| The largest change
   between two readings. |#
(define (swing levels)
  (let loop ((rest levels) (worst 0))
    (cond ((or (null? rest) (null? (cdr rest))) worst)
          (else
           (let* ((change (abs (- (cadr rest) (car rest))))
                  (larger (if (and (>= change limit) (not (= change 42))) change worst)))
             (loop (cdr rest) (max worst larger)))))))

(define-syntax unless-calm
  (syntax-rules ()
    ((_ test body ...) (if test #f (begin body ...)))))

(define report
  (lambda (places . others)
    (for-each (lambda (place)
                (display "line of \"it\" ")
                (display place)
                (newline))
              places)
    (case (car places)
      ((east west) 'calm)
      ((#\c) `(rough ,(car others) 1.5))
      (else (set! limit (+ limit 1))))
    (do ((i 0 (+ i 1))) ((= i 10) #t)
      (vector-set! log i (string-append "a" "b")))))
