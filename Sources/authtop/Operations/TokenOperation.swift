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

    /// Runs a program with a token in its environment, and the address of later ones.
    ///
    /// - Parameters:
    ///   - program: The program.
    ///   - name: The name of the variable of the token.
    /// - Returns: The end of the program, or why it was not started; `nil` if the output was closed.
    /// - Throws: `CommandFailure` if there is no token, or no address.
    func run(
        _ program: ForegroundProgram,
        tokenIn name: String
    ) async throws -> Result<ForegroundProgram.Ending, VaultProblem>? {
        let source = source(of: .access)
        let key = environment.randomBytes(TokenEndpoint.keySize)
        let outcome = try await follow(within: nil) { store throws(CommandFailure) in
            let source = source(store)
            let token = try await source.first()
            let endpoint = TokenEndpoint(key: key, profile: source.profile) {
                () async throws(CommandFailure) in try await source.next()
            }
            let ending = try await endpoint.serve { url in
                await program.result(adding: [
                    name: token.access.secret.reveal(), TokenEndpoint.variable: url.reveal(),
                ])
            }
            await source.settle()
            return ending
        }
        return outcome?.value
    }

    /// Returns what makes a source of a store that runs.
    func source(
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

extension ForegroundProgram {
    /// Runs the program to its end, or says why it was not started.
    fileprivate func result(
        adding variables: [String: String]
    ) async -> Result<Ending, VaultProblem> {
        do throws(VaultProblem) {
            return .success(try await run(adding: variables))
        } catch {
            return .failure(error)
        }
    }
}
