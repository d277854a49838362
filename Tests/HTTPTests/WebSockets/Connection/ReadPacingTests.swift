import NIOCore
import Testing

@testable import HTTP

@Suite("Read pacing")
struct ReadPacingTests {
    private static let interval = TimeAmount.milliseconds(4)

    /// Returns the pauses after pieces of these sizes that came this many milliseconds after the
    /// start.
    private static func pauses(_ pieces: [(at: Int64, size: Int)]) -> [TimeAmount?] {
        var pacing = ReadPacing(interval: interval)
        return pieces.map { piece in
            pacing.received(piece.size)
            return pacing.pause(at: .uptimeNanoseconds(0) + .milliseconds(piece.at))
        }
    }

    @Test("what comes alone is read at once")
    func alone() {
        #expect(Self.pauses([(0, 100), (8, 100), (100, 100)]) == [nil, nil, nil])
    }

    @Test("what comes in quick succession is read once in an interval")
    func succession() {
        let pauses = Self.pauses([(0, 100), (1, 100), (5, 4000), (9, 4000), (20, 100), (27, 100)])
        let interval = Self.interval
        #expect(pauses == [nil, interval, interval, interval, nil, interval])
    }

    @Test("large pieces are read as they come")
    func large() {
        let size = ReadPacing.largePiece
        #expect(Self.pauses([(0, size), (1, size), (2, size - 1)]) == [nil, nil, Self.interval])
    }

    @Test("a read that follows no bytes does not wait")
    func nothing() {
        #expect(Self.pauses([(0, 100), (1, 0), (2, 100)]) == [nil, nil, Self.interval])
    }
}
