import Basics
import Client
import FoundationEssentials
import Model
import UI

/// A file that always has a token that may be used, for programs that read it again and again.
struct TokenFile: Sendable {
    /// The time after which a token that has ended is asked for again.
    private static let pause = Duration.seconds(10)

    let file: PrivateFile
    let contract: TokenContract
    let source: TokenSource

    /// Keeps the file until the session ends, which removes it, or the calling task is cancelled,
    /// which leaves it.
    ///
    /// While no renewal succeeds, the file has the last token, which is said once.
    ///
    /// - Throws: `CommandFailure` with why the session ended, or why the file cannot be written.
    func keep() async throws(CommandFailure) {
        let (wakes, wake) = AsyncStream.makeStream(
            of: Void.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let events = source.store.events.events()
        var written: FreshToken
        do throws(CommandFailure) {
            written = try await source.first()
        } catch {
            // It may have one of an earlier run.
            if error.exit == .notSo { file.remove() }
            throw error
        }
        try write(written)
        let result = await withTaskGroup(
            of: Void.self,
            returning: Result<Void, CommandFailure>.self
        ) { group in
            defer { group.cancelAll() }
            group.addTask {
                for await _ in events { wake.yield() }
                wake.finish()
            }
            var alarm: Instant?
            var problem: CommandFailure?
            wake.yield()
            for await _ in wakes {
                do throws(CommandFailure) {
                    let token = try await current(after: written)
                    if token.asked != written.asked { try write(token) }
                    written = token
                    problem = nil
                } catch {
                    if error.exit == .notSo { file.remove() }
                    guard error.exit == .unreachable else { return .failure(error) }
                    if problem == nil { warn(error) }
                    problem = error
                }
                // An earlier alarm sets the next one.
                let now = source.time.now
                guard let next = nextLook(at: written),
                    alarm.map({ $0 <= now || next < $0 }) ?? true
                else { continue }
                alarm = next
                group.addTask { [time = source.time] in
                    guard (try? await time.sleep(until: next)) != nil else { return }
                    wake.yield()
                }
            }
            return .success(())
        }
        try result.get()
    }

    private func write(_ token: FreshToken) throws(CommandFailure) {
        try file.exchange(for: try contract.text(of: token, source.profile) + "\n")
    }

    private func warn(_ failure: CommandFailure) {
        let message = "\(failure.message); \(file.path) has the last token"
        StandardError.write("authtop: \(message.visibleInOneLine)")
    }

    /// Returns the token in use, after a renewal if it is due and the session has not renewed by
    /// itself.
    private func current(after last: FreshToken) async throws(CommandFailure) -> FreshToken {
        isDue(last) ? try await source.next() : try await source.held()
    }

    private func isDue(_ token: FreshToken) -> Bool {
        let due = token.kind == .id ? token.asked.replacement : token.asked.end
        return due.map { $0 <= source.time.moment.wall } ?? false
    }

    /// When the token has to be looked at again without an event, or `nil` if nothing is known of its
    /// end.
    private func nextLook(at token: FreshToken) -> Instant? {
        let now = source.time.moment
        guard let due = token.kind == .id ? token.asked.replacement : token.asked.end else {
            return nil
        }
        return max(now.instant(at: due), isDue(token) ? now.now + Self.pause : now.now)
    }
}
