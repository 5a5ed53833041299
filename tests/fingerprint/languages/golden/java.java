package org.example.tides;

import java.util.*;
import static java.lang.Math.abs;

/** A harbour and its readings. */
@SuppressWarnings({"unchecked", "rawtypes"})
public final class Harbour<T extends Comparable<T>> implements Iterable<T> {
    private static final int LIMIT = 0x1F;
    protected volatile Map<String, List<Integer>> readings = new HashMap<>();

    @Override
    public synchronized int swing(final int[] levels) throws LostException {
        int worst = 0; // never shrinks
        for (int i = 1; i < levels.length; i++) {
            int change = abs(levels[i] - levels[i - 1]);
            if (change >= LIMIT && !(change == 42) || worst != 7) {
                worst += change >>> 2;
            }
        }
        return worst > 0 ? worst : -1;
    }

    void report(String place) {
        try {
            switch (place) {
                case "east": System.out.printf("%d\t\"%s\"%n", 3, 'c'); break;
                default: readings.forEach((k, v) -> v.sort(Integer::compare));
            }
        } catch (RuntimeException | Error problem) {
            throw new IllegalStateException("""
                no line
                after it""", problem);
        } finally {
            this.readings = null;
        }
        do { synchronized (this) { continue; } } while (true);
    }
}
