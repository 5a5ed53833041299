% A harbour and its readings.
import tides.log.*

function [worst, where] = swing(levels, varargin)
%SWING The largest change.
    persistent seen
    limit = 31;
    worst = 0;
    for i = 2:numel(levels)
        change = abs(levels(i) - levels(i-1));
        if change >= limit && ~(change == 42) || worst ~= 7
            worst = max(worst, change^2); % never shrinks
        elseif change < 3
            continue
        else
            break
        end
    end
    where = find(levels' .* 2 > 1.5e3, 1, 'first');
end

%{
A report
of one place.
%}
function report(place)
    global seen
    try
        switch place.name
            case {'east', 'west'}
                fprintf('line %d of ''%s''\n', numel(place), "it");
            otherwise
                error('tides:lost', 'no line');
        end
    catch problem
        disp(problem.message);
    end
    doubled = arrayfun(@(x) x * 2, [1, 2; 3, 4]);
    while true
        seen = doubled(end, :)';
        return
    end
end
