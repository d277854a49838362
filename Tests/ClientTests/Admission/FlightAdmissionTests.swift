import Testing

@testable import Client

@Suite("FlightAdmission")
struct FlightAdmissionTests {
    @Test(
        "no more than the limit are in progress at any time, and all get their turn",
        arguments: [1, 4]
    )
    func limit(limit: Int) async throws {
        let admission = FlightAdmission(limit: limit)
        let count = Counter()
        await withDiscardingTaskGroup { group in
            for _ in 0..<200 {
                group.addTask {
                    guard let place = await admission.enter(.login) else { return }
                    await count.begin()
                    await Task.yield()
                    await count.end()
                    admission.leave(place)
                }
            }
        }
        #expect(await count.ended == 200)
        #expect(await count.most <= limit)
    }

    @Test("one that is cancelled while it waits gets no place, and takes none from others")
    func cancelled() async throws {
        let admission = FlightAdmission(limit: 1)
        let first = try #require(await admission.enter(.login))
        let waiting = Task { await admission.enter(.awaited) }
        waiting.cancel()
        #expect(await waiting.value == nil)
        admission.leave(first)
        #expect(await admission.enter(.login) != nil)
    }

    private actor Counter {
        private var active = 0
        private(set) var most = 0
        private(set) var ended = 0

        func begin() {
            active += 1
            most = max(most, active)
        }

        func end() {
            active -= 1
            ended += 1
        }
    }
}
