import Synchronization
import Testing

/// Lets only this many tests run programs at once: their stories are told in real seconds, and a
/// machine that is too busy would tell others.
struct ProgramSlots: SuiteTrait, TestTrait, TestScoping {
    /// The binary that ships needs a third of the processor time of the one for debugging.
    private static let slots = Slots(free: Authtop.isGiven ? 16 : 6)

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        await Self.slots.take()
        do {
            try await function()
        } catch {
            Self.slots.give()
            throw error
        }
        Self.slots.give()
    }
}

extension Trait where Self == ProgramSlots {
    /// The suite starts programs.
    static var programs: ProgramSlots { ProgramSlots() }
}

private final class Slots: Sendable {
    private struct State {
        var free: Int
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(free: Int) {
        state = Mutex(State(free: free))
    }

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                guard state.free == 0 else {
                    state.free -= 1
                    return true
                }
                state.waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func give() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
