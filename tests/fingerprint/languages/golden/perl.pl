#!/usr/bin/perl -w
use strict;
use warnings;
use List::Util qw(max sum);
require Carp;

=pod

A harbour and its readings.

=cut

package Harbour;

our $limit = 0x1F;
my %readings = (east => [1, 2], 'west' => []);

sub swing {
    my ($self, @levels) = @_;
    my $worst = 0; # never shrinks
    for my $i (1 .. $#levels) {
        my $change = abs($levels[$i] - $levels[$i - 1]);
        if ($change >= $limit && !($change == 42) || $worst != 7) {
            $worst += $change ** 2;
        } elsif ($change eq 'x' or not defined $worst) {
            next;
        } else {
            last unless $worst;
        }
    }
    return $worst > 0 ? $worst : -1;
}

sub report {
    my $place = shift;
    open(my $log, '<', $place) or die "no line in $place\n";
    while (my $line = <$log>) {
        chomp $line;
        $line =~ s/^\s+|\s+$//g;
        push @{ $readings{$place} }, split(/,/, $line) if $line =~ m/\d+/;
    }
    close $log;
    foreach my $key (sort { $a <=> $b } keys %readings) {
        print "line of $key: ", join(', ', map { $_ * 2 } @{$readings{$key}}), "\n";
    }
    return { name => $place, last => undef };
}

1;
