Option Strict On
Imports System
Imports System.Collections.Generic

Namespace Tides
    ' A harbour and its readings.
    <Serializable()>
    Public NotInheritable Class Harbour
        Inherits Place
        Private Const Limit As Integer = 31
        Protected Shared readings As New Dictionary(Of String, List(Of Integer))

        Public Overrides Function Swing(ByVal levels() As Integer) As Integer
            Dim worst As Integer = 0
            For i As Integer = 1 To levels.Length - 1
                Dim change = Math.Abs(levels(i) - levels(i - 1))
                If change >= Limit AndAlso Not (change = 42) OrElse worst <> 7 Then
                    worst += change ^ 2 ' never shrinks
                ElseIf change < 3 Then
                    Continue For
                Else
                    Exit For
                End If
            Next
            Return worst
        End Function

        Friend Sub Report(ByRef place As String)
            Try
                Select Case place
                    Case "east", "west"
                        Console.WriteLine("line of ""it"" " & place & 1.5)
                    Case Else
                        Throw New Exception("no line")
                End Select
                For Each line In readings.Keys
                    Do While True
                        place = If(line Is Nothing, "x", line.Trim())
                    Loop
                Next
            Catch problem As Exception When problem.Message <> ""
                REM lost
                GoTo done
            Finally
                place = Nothing
            End Try
done:
        End Sub
    End Class
End Namespace
