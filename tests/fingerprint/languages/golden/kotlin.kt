package org.example.tides

import java.util.*
import kotlin.math.abs as magnitude

/** A harbour and its readings. */
@Suppress("unused")
data class Harbour(val name: String, private var readings: MutableMap<String, List<Int>> = mutableMapOf()) : Place() {
    companion object {
        const val LIMIT = 0x1F
    }

    @Throws(LostException::class)
    override fun swing(levels: IntArray): Int {
        var worst = 0 // never shrinks
        for (i in 1 until levels.size) {
            val change = magnitude(levels[i] - levels[i - 1])
            if (change >= LIMIT && !(change == 42) || worst != 7) {
                worst += change
            }
        }
        return worst
    }

    internal suspend inline fun report(place: String?) {
        try {
            when (place) {
                "east", "west" -> println("line ${place.length + 1} of $name")
                is String -> readings.filter { it.key.isNotEmpty() }.map { (k, v) -> v.sum() }
                else -> throw IllegalStateException("""no "line" here""")
            }
        } catch (problem: RuntimeException) {
            val last = place?.trim() ?: 'c'
            do { continue } while (true)
        }
    }
}
