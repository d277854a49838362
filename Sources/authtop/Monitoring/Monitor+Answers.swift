import Basics
import Model
import Profiles
import Proxy
import UI

/// The answers to monitors.
extension Monitor {
    /// The number of profiles that an answer names as not ready.
    private static let namedProfiles = 20

    func answer(_ request: WireRequest) async -> WireResponse {
        guard ["/metrics", "/probe", "/healthz", "/readyz"].contains(request.path) else {
            return .refusal(404, "expected GET /metrics, /healthz, /readyz or /probe?profile=NAME")
        }
        guard request.method == "GET" else {
            return .refusal(405, "expected GET \(request.path)")
        }
        switch request.path {
        case "/metrics": return text(of: await reading, for: request)
        case "/probe": return probe(request)
        case "/healthz": return .plain(["ok"], status: 200)
        default: return readiness
        }
    }

    private func probe(_ request: WireRequest) -> WireResponse {
        guard let profile = request.queryFields["profile"] else {
            return .refusal(400, "expected /probe?profile=NAME")
        }
        guard let reading = book.reading(of: profile, at: time.moment) else {
            return .refusal(404, "no session of this profile is watched")
        }
        return text(of: reading, for: request)
    }

    private func text(of reading: MetricsReading, for request: WireRequest) -> WireResponse {
        let format = MetricsFormat(accepting: request.header("Accept"))
        return WireResponse(
            status: 200,
            headers: [WireHeader("Content-Type", format.contentType)],
            body: MetricsText.bytes(of: reading, as: format)
        )
    }

    private var readiness: WireResponse {
        let unready = book.unreadyProfiles(at: time.moment)
        guard !unready.isEmpty else { return .plain(["ready"], status: 200) }
        let named = unready.prefix(Self.namedProfiles).map { profile in
            ReadinessText.sentence(profile).visibleInOneLine
        }
        let others = unready.count - named.count
        return .plain(named + (others > 0 ? ["and \(others) more"] : []), status: 503)
    }
}

extension WireResponse {
    fileprivate static func plain(_ lines: [String], status: Int) -> WireResponse {
        WireResponse(
            status: status,
            headers: [WireHeader("Content-Type", "text/plain; charset=utf-8")],
            body: Array((lines.joined(separator: "\n") + "\n").utf8)
        )
    }
}
