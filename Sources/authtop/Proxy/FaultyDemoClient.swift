import Backend
import Basics
import Client
import Model
import Observer
import Profiles

/// An app with the usual mistakes, to try the proxy on: two tabs that share a session, and that know
/// nothing of each other's renewals.
///
/// Each round takes about ten seconds and ends with a session that the backend has revoked, as
/// happens to such an app in production.
struct FaultyDemoClient: Sendable {
    let dialect: Dialect
    /// A transport to the proxy.
    let transport: any TokenTransport
    let time: any Timekeeper

    /// A tab, with the pair that it believes to be current.
    private struct Tab {
        var pair: IssuedTokens
    }

    /// Repeats its mistakes until the calling task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await bothRenew()
            await oneRenews()
            await pause(2)
        }
    }

    /// Both tabs renew at the same time; the one that loses then goes on with a revoked token.
    private func bothRenew() async {
        guard let pair = await logIn() else { return }
        await use(pair)
        guard let refresh = pair.refresh else { return }
        async let first = renew(refresh)
        async let second = renew(refresh)
        let pairs = await [first, second]
        guard let winner = pairs.compactMap(\.self).first else { return }
        for _ in 0..<6 {
            await send(winner)
            await pause(0.4)
        }
    }

    /// One tab renews; the other one does not notice, and later renews with the spent token.
    private func oneRenews() async {
        guard let pair = await logIn(), let refresh = pair.refresh else { return }
        var first = Tab(pair: pair)
        let second = Tab(pair: pair)
        await use(first.pair)
        guard let renewed = await renew(refresh) else { return }
        first.pair = renewed
        await pause(0.5)
        await send(first.pair)
        await use(second.pair)
        for _ in 0..<3 {
            guard await renew(refresh) == nil else { return }
            await pause(0.3)
        }
    }

    /// Sends a few requests, as an app in use does.
    private func use(_ pair: IssuedTokens) async {
        for _ in 0..<3 {
            await send(pair)
            await pause(0.3)
        }
    }

    private func logIn() async -> IssuedTokens? {
        guard let request = try? dialect.loginRequest(Account.sandbox.credentials),
            let response = await answer(to: request),
            case .issued(let tokens) = dialect.readLogin(response)
        else { return nil }
        return tokens
    }

    private func renew(_ token: RefreshToken) async -> IssuedTokens? {
        guard let response = await answer(to: dialect.refreshRequest(token)),
            case .issued(let tokens) = dialect.readRefresh(response)
        else { return nil }
        return tokens
    }

    private func send(_ pair: IssuedTokens) async {
        _ = await answer(to: dialect.protectedRequest(pair.access))
    }

    private func answer(to request: WireRequest) async -> WireResponse? {
        var request = request
        request.headers.append(WireHeader("User-Agent", "clumsy-app/1.0"))
        let report = await transport.send(
            request,
            connection: .own,
            deadline: time.now.advanced(bySeconds: 10)
        )
        guard case .answered(let response) = report.outcome else { return nil }
        return response
    }

    private func pause(_ seconds: Double) async {
        try? await time.sleep(until: time.now.advanced(bySeconds: seconds))
    }
}
