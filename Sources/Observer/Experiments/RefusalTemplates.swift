import Basics
import Profiles

/// Answers that look as the backend's own would.
struct RefusalTemplates: Sendable {
    private static let bodyLimit = 4_096
    private static let originLimit = 16
    /// Fields that belong to one answer alone, or to its framing.
    private static let passing: Set<String> = [
        "content-length", "transfer-encoding", "connection", "keep-alive", "date", "set-cookie",
        "content-encoding", "etag", "trailer",
    ]

    /// The last 401 of an origin.
    private var refusals: [String: WireResponse] = [:]
    /// The fields by which an origin permits other origins.
    private var permissions: [String: [WireHeader]] = [:]
    private var origins: [Int: String] = [:]
    /// The exchanges whose answer is a 401 that is not read to its end.
    private var open: Set<Int> = []

    init() {}

    /// Learns from what passes.
    mutating func observe(_ input: TrafficInput) {
        let number = input.exchange
        switch input.kind {
        case .requestHead(let head, _, _): origins[number] = head.origin
        case .responseHead(let head, _):
            guard let origin = origins[number],
                refusals.count < Self.originLimit || refusals[origin] != nil
            else { return }
            let permission = head.headers.filter {
                let name = $0.name.asciiLowercased
                return name.begins(with: "access-control-") || name == "vary"
            }
            if !permission.isEmpty { permissions[origin] = permission }
            guard head.status == 401 else { return }
            open.insert(number)
            let kept = head.headers.filter { !Self.passing.contains($0.name.asciiLowercased) }
            refusals[origin] = WireResponse(status: 401, headers: kept)
        case .responseBody(let bytes):
            guard open.contains(number), let origin = origins[number] else { return }
            let room = Self.bodyLimit - (refusals[origin]?.body.count ?? 0)
            refusals[origin]?.body += bytes.prefix(max(0, room))
        case .delivered, .failed, .socketClosed:
            origins[number] = nil
            open.remove(number)
        // Answers of the proxy itself are no examples.
        case .injected: origins[number] = nil
        case .requestBody, .requestEnd, .responseTrailers, .responseEnd, .givenUp, .socketOpened,
            .socketMessage, .misdirected, .unreadable:
            break
        }
    }

    /// The refusal of an access token: the last of the backend, else that of its profile, else
    /// that of RFC 6750.
    func refusal(
        from origin: String,
        orElse profiled: WireResponse?
    ) -> WireResponse {
        if let refusal = refusals[origin] { return refusal }
        if let profiled { return answer(profiled, from: origin) }
        return answer(
            401,
            "{\"error\":\"invalid_token\"}",
            [WireHeader("WWW-Authenticate", "Bearer error=\"invalid_token\"")],
            from: origin
        )
    }

    /// The refusal of a refresh token for good: that of the profile, else that of RFC 6749.
    func refusedRefresh(
        from origin: String,
        orElse profiled: WireResponse?
    ) -> WireResponse {
        if let profiled { return answer(profiled, from: origin) }
        return answer(400, "{\"error\":\"invalid_grant\"}", from: origin)
    }

    private func answer(
        _ response: WireResponse,
        from origin: String
    ) -> WireResponse {
        let fields = response.headers.filter { !Self.passing.contains($0.name.asciiLowercased) }
        let permission = permissions[origin] ?? []
        return WireResponse(
            status: response.status,
            headers: fields + permission,
            body: response.body
        )
    }

    /// An answer with JSON, and with what a browser needs to show it to the app.
    func answer(
        _ status: Int,
        _ json: String,
        _ headers: [WireHeader] = [],
        from origin: String
    ) -> WireResponse {
        let fields =
            headers + [
                WireHeader("Content-Type", "application/json"),
                WireHeader("Cache-Control", "no-store"),
            ] + (permissions[origin] ?? [])
        return WireResponse(status: status, headers: fields, body: Array(json.utf8))
    }

    /// The answer of a network that wants its users to log in first.
    func page(from origin: String) -> WireResponse {
        let fields =
            [WireHeader("Content-Type", "text/html; charset=utf-8")] + (permissions[origin] ?? [])
        let html = "<!doctype html><title>Welcome</title><p>Log in to use this network."
        return WireResponse(status: 200, headers: fields, body: Array(html.utf8))
    }
}
