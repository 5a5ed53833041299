! A harbour and its readings.
module tides
  use, intrinsic :: iso_fortran_env
  use harbour_log, only: next_line
  implicit none
  integer, parameter :: limit = 31

  type, public :: harbour
    character(len=20) :: name
    real(kind=8), allocatable :: readings(:)
  end type harbour

contains

  pure integer function swing(levels, n) result(worst)
    integer, intent(in) :: n
    integer, dimension(n), intent(in) :: levels
    integer :: i, change
    worst = 0
    do i = 2, n
      change = abs(levels(i) - levels(i - 1))
      if (change >= limit .and. .not. (change == 42) .or. worst /= 7) then
        worst = max(worst, change ** 2) ! never shrinks
      else if (change .lt. 3) then
        cycle
      else
        exit
      end if
    end do
  end function swing

  subroutine report(place)
    type(harbour), intent(inout) :: place
    logical :: calm = .true.
    select case (trim(place%name))
    case ('east', "west")
      write (*, *) 'line of ', place%name, 1.5d0
    case default
      stop 'no line'
    end select
    do while (calm)
      call next_line(place%readings, &
                     calm)
    end do
  end subroutine report
end module tides
