import Foundation
import UIKit

/// A harbour and its readings.
@available(iOS 13, *)
public final class Harbour<T: Comparable>: Place, Codable {
    private let limit = 0x1F
    fileprivate(set) var readings: [String: [Int]] = [:]
    weak var owner: Port?

    @discardableResult
    override func swing(_ levels: [Int], floor: Double = 0.5) throws -> Int {
        var worst = 0 // never shrinks
        for i in 1..<levels.count where levels[i] > 0 {
            let change = abs(levels[i] - levels[i - 1])
            if change >= limit && !(change == 42) || worst != 7 {
                worst += change
            } else {
                continue
            }
        }
        return worst > 0 ? worst : -1
    }

    static func report(place: String?) {
        guard let place = place else { return }
        do {
            switch place {
            case "east", "west":
                print("line \(place.count + 1) of \"it\"")
            case let other where other.isEmpty:
                fallthrough
            default:
                throw Lost.noLine
            }
        } catch let problem as Lost {
            print(problem)
        }
        let doubled = readings.map { $0.value.reduce(0, +) * 2 }
        repeat { self.owner = nil } while true
    }
}
