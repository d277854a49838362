import Basics

extension SeededGenerator {
    /// About as likely in each doubling of the lower bound.
    mutating func logUniform(_ range: ClosedRange<Double>) -> Double {
        var doublings = 0
        var reach = range.lowerBound
        while reach * 2 < range.upperBound {
            reach *= 2
            doublings += 1
        }
        var value = range.lowerBound
        for _ in 0..<Int.random(in: 0...doublings, using: &self) { value *= 2 }
        return min(value * uniform(1...2), range.upperBound)
    }

    /// The time until the next of many events, in seconds.
    mutating func wait(mean: Double) -> Double {
        mean * uniform(0.05...1.95)
    }

    mutating func happens(_ likelihood: Double) -> Bool {
        likelihood > 0 && uniform(0...1) < likelihood
    }
}
