import Basics
import Client
import Model
import Profiles
import Simulation

/// 28: a server that has refused a socket, or ended it at once, is not dialed with the same token again
/// within a second, unless the user wants it.
struct DialCheck {
    private struct Dial {
        let token: Token
        var openedAt: Instant?
        var messages = 0
    }

    private struct Token: Hashable {
        let family: String?
        let generation: Int
    }

    /// The dials of one process that have not ended, by their sockets, and when the last socket with
    /// each token was refused.
    private struct Dialer {
        var dials: [Int: Dial] = [:]
        var refusedAt: [Token: Instant] = [:]
    }

    /// The time after the opening in which an end counts as a refusal, in seconds, unless more messages
    /// than these have come.
    private static let atOnce = 1.0
    private static let greeting = 2
    /// The least time from a refusal to the next dial, in seconds, less what rounding takes.
    private static let leastWait = 0.999

    private var dialers = PerProcess<Dialer>()
    private(set) var checked = 0

    mutating func died(_ process: Int) {
        dialers[process] = nil
    }

    mutating func handled(_ step: Step) -> InvariantViolation.Finding? {
        switch step.input {
        case .refreshNow: dialers[step.process]?.refusedAt = [:]
        case .feed(.opened(let socket)):
            dialers[step.process]?.dials[socket]?.openedAt = step.now
        case .feed(.message(let socket, _, _)):
            dialers[step.process]?.dials[socket]?.messages += 1
        case .feed(.refused(let refusal, _)): ended(refusal.socket, isRefused: true, step)
        case .feed(.failed(let socket, _)): ended(socket, isRefused: false, step)
        case .feed(.closed(let socket, _, let closer, _)):
            let dial = dialers[step.process]?.dials[socket]
            let isEarly =
                dial?.openedAt.map { step.now.seconds(since: $0) < Self.atOnce } ?? false
            let isShort = isEarly && (dial?.messages ?? 0) <= Self.greeting
            ended(socket, isRefused: isShort && closer != .us, step)
        default: break
        }
        for effect in step.effects {
            guard case .feed(.dial(let socket, let generation, _)) = effect else { continue }
            if let finding = dials(socket, generation, step) { return finding }
        }
        return nil
    }

    private mutating func ended(_ socket: Int, isRefused: Bool, _ step: Step) {
        guard let dial = dialers[step.process]?.dials.removeValue(forKey: socket), isRefused
        else { return }
        dialers[step.process]?.refusedAt[dial.token] = step.now
    }

    private mutating func dials(
        _ socket: Int,
        _ generation: Int,
        _ step: Step
    ) -> InvariantViolation.Finding? {
        let token = Token(family: step.after.held?.family, generation: generation)
        dialers[step.process, default: Dialer()].dials[socket] = Dial(token: token)
        guard let refusedAt = dialers[step.process]?.refusedAt[token] else { return nil }
        checked += 1
        let seconds = step.now.seconds(since: refusedAt)
        guard seconds < Self.leastWait else {
            dialers[step.process]?.refusedAt[token] = nil
            return nil
        }
        return InvariantViolation.Finding(
            .dialDiscipline,
            "a token is dialed with again \(ElapsedFormatter.text(seconds)) after its refusal"
        )
    }
}
