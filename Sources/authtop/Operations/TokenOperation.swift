import Basics
import Client
import Model
import Platform
import Profiles

extension OperationRun {
    /// Obtains a token that no renewal is due for, if a renewal can bring one.
    func token(_ kind: FreshToken.Kind) async throws -> FreshToken? {
        let source = source(of: kind)
        let outcome = try await follow(within: TokenSource.limit) { store throws(CommandFailure) in
            try await source(store).first()
        }
        return outcome?.value
    }

    /// Keeps a file with a token fresh until the session ends, which removes it.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - kind: The token.
    ///   - contract: The form of its contents.
    /// - Throws: `CommandFailure` with why the session ended, or why the file cannot be written.
    func keep(
        _ path: String,
        with kind: FreshToken.Kind,
        as contract: TokenContract
    ) async throws {
        let file = PrivateFile(path: path, option: "--watch")
        try file.checkExchange()
        let source = source(of: kind)
        _ = try await follow(within: nil) { store throws(CommandFailure) in
            try await TokenFile(file: file, contract: contract, source: source(store)).keep()
        }
    }

    /// Returns what makes a source of a store that runs.
    private func source(
        of kind: FreshToken.Kind
    ) -> @Sendable (SessionStore) -> TokenSource {
        let canLogIn = credentials.problems.isEmpty && !chosen.dialect.needsBrowser
        return { [profile = chosen.name, dialect = chosen.dialect, time = environment.time] in
            TokenSource(
                store: $0,
                profile: profile,
                dialect: dialect,
                kind: kind,
                canLogIn: canLogIn,
                time: time
            )
        }
    }
}
