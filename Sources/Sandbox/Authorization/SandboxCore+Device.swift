import Backend
import Basics
import Profiles
import Synchronization

/// The login on any device (RFC 8628).
extension SandboxCore {
    /// Responds to a device's request for a code.
    func deviceCode(for client: String, issuer: String) -> WireResponse {
        let now = now
        let codes = locked.withLock { state in
            state.backend.isClient(client)
                ? state.backend.issueDeviceCode(to: client, at: now) : nil
        }
        guard let codes else { return .json(["error": "invalid_client"], status: 401) }
        let page = issuer + SandboxRoutes.devicePath
        return .json(
            [
                "device_code": .string(codes.deviceCode.reveal()),
                "user_code": .string(codes.userCode), "verification_uri": .string(page),
                "verification_uri_complete": .string("\(page)?user_code=\(codes.userCode)"),
                "expires_in": .integer(Int64(AuthBackend.deviceCodeLifetime)),
                "interval": .integer(Int64(AuthBackend.deviceInterval)),
            ]
        )
    }

    /// Returns the answer to a device that asks for its tokens too early, or `nil` for any other
    /// request.
    func deviceRefusal(of request: RecognizedRequest) -> WireResponse? {
        guard case .login(let credentials) = request, let code = credentials["device_code"] else {
            return nil
        }
        let now = now
        let refusal = locked.withLock { $0.backend.refusal(ofDevice: code, at: now) }
        return refusal.map { .json(["error": .string($0.rawValue)], status: 400) }
    }

    /// Responds with the page where a user enters a code, or to its form.
    func devicePage(_ form: [String: String]) -> WireResponse {
        let code = form["user_code"] ?? ""
        guard
            let decision = form[AuthorizationQuery.decisionName]
                .flatMap(AuthorizationQuery.Decision.init)
        else { return .page(200, SignInPage.deviceForm(code: code, notice: nil)) }
        let now = now
        let isKnown: Bool? = locked.withLock { state in
            let user: BackendUser?
            switch decision {
            case .approve: user = state.backend.firstUser
            case .signIn:
                let name = form["username"] ?? ""
                user = state.backend.user(named: name, password: form["password"] ?? "")
            case .deny: user = nil
            }
            guard user != nil || decision == .deny else { return nil }
            return state.backend.decide(deviceWith: code, for: user, at: now)
        }
        guard let isKnown else {
            let notice = "Wrong user name or password."
            return .page(403, SignInPage.deviceForm(code: code, notice: notice))
        }
        guard isKnown else {
            let notice = "There is no such code, or it has expired."
            return .page(404, SignInPage.deviceForm(code: code, notice: notice))
        }
        return .page(200, SignInPage.problem("Done. You can close this window."))
    }
}
