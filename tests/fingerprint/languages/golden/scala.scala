package org.example.tides

import scala.collection.mutable.{Map, ListBuffer}
import scala.math._

/** A harbour and its readings. */
@SerialVersionUID(100L)
sealed abstract class Harbour[T <: Ordered[T]](val name: String, private var readings: Map[String, List[Int]])
    extends Place with Serializable {

  private[tides] final val limit = 0x1F

  @throws(classOf[LostException])
  override def swing(levels: Array[Int]): Int = {
    var worst = 0 // never shrinks
    for (i <- 1 until levels.length if levels(i) > 0) {
      val change = abs(levels(i) - levels(i - 1))
      if (change >= limit && !(change == 42) || worst != 7) worst += change
      else worst -= 1
    }
    worst
  }

  implicit lazy val report: String => Unit = { place =>
    try {
      place match {
        case "east" | "west" => println(s"line ${place.length + 1} of $name")
        case other: String if other.nonEmpty => readings.map { case (k, v) => v.sum }
        case _ => throw new IllegalStateException("""no "line" here""")
      }
    } catch {
      case problem: RuntimeException => null
    } finally {
      while (true) yieldTo('c')
    }
  }
}

object Main extends App {
  case class Reading(when: Long, level: Double = 1.5e3)
  val doubled = for { x <- List(1, 2) } yield x * 2
}
