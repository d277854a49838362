import Basics
import Client
import Model
import Observer
import Platform
import Profiles
import UI

/// A login of the user for a check, by the machine that logs in for every command: with a browser, or
/// with a code on any device.
struct UserLogin: Sendable {
    /// With a vault in memory.
    let chosen: ChosenProfile
    let credentials: FixedCredentials
    let signIn: SessionPlan.SignIn
    /// The key that the tokens are bound to, or `nil` if they are bound to none.
    var proofKey: Secret?
    let environment: LiveEnvironment

    /// Logs in once.
    ///
    /// - Throws: `CommandFailure` with why there are no tokens.
    func tokens() async throws(CommandFailure) -> CheckedLogin {
        let recorder = TrialRecorder()
        let result: LoginResult
        do {
            // Each session of a check is one of its own.
            _ = try await chosen.vault.erase(if: nil)
            result = try await withNetwork(chosen.network) { network in
                let store = try plan(recorder).store(
                    with: credentials,
                    on: network,
                    in: environment
                )
                return await logIn(to: store)
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            let message = (error as? VaultProblem)?.message ?? "\(error)"
            throw CommandFailure(.unreachable, "\(chosen.name): \(message)")
        }
        _ = try LoginText.message(of: result, chosen.name)
        guard let response = recorder.all[.login],
            case .issued(let tokens) = chosen.dialect.readLogin(response)
        else { throw CommandFailure(.unreachable, "\(chosen.name): the login brought no tokens") }
        let scope = JSONValue(parsing: response.body).flatMap { Scopes.stated(in: $0) }
        return CheckedLogin(tokens: tokens, scope: scope.map(Set.init))
    }

    private func plan(_ recorder: TrialRecorder) -> SessionPlan {
        var plan = chosen.plan(
            with: credentials,
            fingerprinter: environment.fingerprinter(),
            in: environment
        )
        plan.isWatched = false
        plan.signIn = signIn
        plan.proofKey = proofKey
        plan.recorder = recorder
        return plan
    }

    private func logIn(to store: SessionStore) async -> LoginResult {
        let events = store.events.events()
        // A renewal would spend the refresh token that the check is about.
        await store.send(.setPaused(.timer))
        return await withTaskGroup(of: LoginResult?.self) { group in
            group.addTask {
                await store.run()
                return nil
            }
            group.addTask {
                for await event in events {
                    if let prompt = event.kind as? AuthorizationPrompt {
                        StandardError.write(prompt)
                    }
                }
                return nil
            }
            group.addTask {
                _ = await store.state(.settled)
                return await store.logIn()
            }
            var result = LoginResult.cancelled
            for await ended in group {
                guard let ended else { continue }
                result = ended
                break
            }
            store.events.finish()
            group.cancelAll()
            return result
        }
    }
}
