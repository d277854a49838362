import Testing

@testable import HTTP

@Suite("Pongs to a peer that does not read")
struct PongWindowTests {
    @Test("up to the limit every ping is answered; beyond it the latest, once there is room")
    func latest() {
        var window = PongWindow(limit: 2)
        #expect([window.received([1]), window.received([2])] == [[1], [2]])
        #expect([window.received([3]), window.received([4])] == [nil, nil])
        #expect([window.sent(), window.sent(), window.sent()] == [[4], nil, nil])
        #expect(window.received([5]) == [5])
    }
}
