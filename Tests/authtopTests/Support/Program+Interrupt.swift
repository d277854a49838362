import Glibc
import TestSupport
import Testing

extension Program {
    /// Ends a run that prints lines as Ctrl-C does: what is open is closed in good order.
    ///
    /// For a run that has printed something, and whose length is up to what it prints: how much
    /// happens within a number of seconds is up to the machine.
    func interrupt(at location: SourceLocation = #_sourceLocation) async throws {
        send(SIGINT)
        let ending = try await ended()
        #expect(ending == .exit(128 + SIGINT), "\(errors.text)", sourceLocation: location)
    }
}
