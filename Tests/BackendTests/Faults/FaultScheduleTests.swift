import Backend
import Model
import Testing

@Suite("Backend: faults that come and go by themselves")
struct FaultScheduleTests {
    private func steps(seed: UInt64, _ count: Int = 400) -> [FaultSchedule.Step] {
        var schedule = FaultSchedule(seed: seed)
        return (0..<count).map { _ in schedule.next() }
    }

    @Test("equal seeds give equal schedules, and other seeds others")
    func seeded() {
        #expect(steps(seed: 7) == steps(seed: 7))
        #expect(steps(seed: 7) != steps(seed: 8))
    }

    @Test("one fault at a time: what was switched on is switched off before the next")
    func oneAtATime() {
        let steps = steps(seed: 7)
        for index in stride(from: 0, to: steps.count, by: 2) {
            #expect(steps[index].setting.state != .off)
            #expect(steps[index + 1].setting.state == .off)
            #expect(steps[index].setting.fault.name == steps[index + 1].setting.fault.name)
        }
        #expect(steps.allSatisfy { (3...20).contains($0.after) })
    }

    @Test("in time every fault has its turn")
    func complete() {
        let names = Set(steps(seed: 7, 1000).map(\.setting.fault.name))
        #expect(names == Set(Fault.ofBackend.map(\.name)))
    }
}
