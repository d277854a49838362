import Basics
import Model
import Profiles

/// A profile of a backend, as far as the traffic with it shows one.
///
/// Values that had to be guessed are marked in the text, and those that were not seen are left out.
package struct LearnedProfile: Sendable, Hashable {
    /// The contents of a profile's file.
    package let text: String
    /// The parts that a profile needs for a renewal and that were not seen.
    package let missing: [String]

    /// Learns a profile; `nil` if neither a login nor a refresh brought tokens.
    ///
    /// - Parameters:
    ///   - traffic: The newest exchanges.
    ///   - baseURL: The backend's base URL, if a proxy stood in for it: paths are relative to it.
    package init?(of traffic: ObservedTraffic, at baseURL: String = "") {
        guard let seen = ProfileEvidence(traffic) else { return nil }
        let draft = ProfileDraft(seen, base: seen.origin.base(in: baseURL))
        text = draft.text
        missing = seen.missing
    }
}

/// The exchanges that a profile is made of: of each kind the newest that shows it.
struct ProfileEvidence {
    let login: ObservedExchange?
    let refresh: ObservedExchange?
    let refusals: [ObservedExchange]
    let protected: ObservedExchange?
    /// The statuses with which access tokens were refused, without those of success.
    let expiredStatuses: [Int]
    let logout: ObservedExchange?
    let feed: ObservedExchange?
    /// Whether refreshes bring other refresh tokens, as a profile states it.
    let rotation: String
    /// Whether the app presents the id token, and not the access token that comes with it.
    let usesIDToken: Bool
    /// Whether one token is both the access and the refresh token.
    let isSingle: Bool
    /// The refresh token that the refresh sends: that of a session that is renewed by any request, which
    /// has one token alone, is its access token.
    var refreshToken: Fingerprint? {
        refresh.flatMap { $0.refresh ?? (isSingle ? $0.access?.fingerprint : nil) }
    }
    /// Where the tokens come from.
    let origin: String
    /// The values of answers with tokens, which requests may send again.
    let values: [Fingerprint: TokenOccurrence]
    /// The number of the last logout if its path has a value that no profile can name.
    let otherLogout: Int?

    /// Chooses the exchanges; `nil` if none of them brought tokens.
    init?(_ traffic: ObservedTraffic) {
        let usable = traffic.exchanges.filter { Self.path(of: $0) != nil && Self.canBeRead($0) }
        func newest(_ purpose: ExchangePurpose, _ outcome: ObservedExchange.Outcome)
            -> ObservedExchange?
        {
            usable.last { $0.purpose == purpose && $0.outcome == outcome }
        }
        login = newest(.login, .issued)
        let renewals = usable.filter { $0.purpose == .refresh && $0.outcome == .issued }
        let refreshes = renewals.isEmpty ? usable.compactMap(\.asRenewal) : renewals
        // Where only some bring a refresh token, one of those shows its place.
        refresh =
            refreshes.last { exchange in
                exchange.answer?.issued.contains { $0.role == .refresh } ?? false
            } ?? refreshes.last
        guard let source = refresh ?? login else { return nil }
        origin = source.request.origin
        refusals = usable.filter { exchange in
            guard case .refreshRefused = exchange.outcome else { return false }
            return true
        }
        let accepted = usable.filter {
            $0.purpose == .protected && $0.outcome == .accepted && $0.access != nil
                && $0.request.method == "GET"
                && $0.status.map { (200..<300).contains($0) } ?? false
        }
        // An API and the server of its tokens may be two.
        let own = accepted.filter { $0.request.origin == source.request.origin }
        protected = Self.mostFrequent(own.isEmpty ? accepted : own)
        expiredStatuses = Set(
            usable.filter { $0.purpose == .protected && $0.outcome == .tokenRefused }
                .compactMap(\.status).filter { !(200..<300).contains($0) }
        ).sorted()
        logout = newest(.logout, .loggedOut)
        let last = traffic.exchanges.last { $0.purpose == .logout && $0.outcome == .loggedOut }
        otherLogout = logout == nil ? last?.number : nil
        let answers = usable.filter { $0.outcome == .issued }.compactMap(\.answer)
        values = Dictionary(
            answers.flatMap { $0.issued + ($0.unnamed ?? []) }.map { ($0.fingerprint, $0) }
        ) { first, _ in first }
        let bearer = protected?.access?.fingerprint
        usesIDToken = [login, refresh].contains { exchange in
            exchange?.answer?.issued.contains { $0.role == .id && $0.fingerprint == bearer }
                ?? false
        }
        feed = usable.last { $0.purpose == .socket && $0.openedAt != nil && $0.access != nil }
        let isSingle =
            refresh.map { $0.renewsSessionToken || $0.refresh == nil && $0.access != nil } ?? false
        self.isSingle = isSingle
        let brought = Set(
            refreshes.map { exchange in
                exchange.answer?.issued.first { $0.role == (isSingle ? .access : .refresh) }
                    .map { $0.fingerprint != exchange.refresh ?? exchange.access?.fingerprint }
            }
        )
        rotation = brought == [true] ? "always" : brought == [false] ? "never" : "maybe"
    }

    /// Whether a profile can name where the answer has the access token that it brings, if it does.
    private static func canBeRead(_ exchange: ObservedExchange) -> Bool {
        let tokens = exchange.answer?.issued.filter { $0.role != .refresh } ?? []
        return exchange.outcome != .issued || tokens.isEmpty
            || tokens.contains { ProfileDraft.place(issued: $0) != nil }
    }

    var missing: [String] {
        [
            login == nil ? "no login" : nil, refresh == nil ? "no renewal" : nil,
            refusals.isEmpty ? "no refused refresh token" : nil,
            protected == nil ? "no request with an access token" : nil,
        ].compactMap(\.self)
    }

    /// The one whose endpoint is used most, without an identifier in its path if there is one.
    private static func mostFrequent(_ exchanges: [ObservedExchange]) -> ObservedExchange? {
        let plain = exchanges.filter { !$0.request.template.containsBytes(of: ":id") }
        let counts = Dictionary(grouping: plain.isEmpty ? exchanges : plain, by: \.request.endpoint)
        return counts.values.max { left, right in
            (left.count, right[0].number) < (right.count, left[0].number)
        }?.last
    }

    /// The target of a request as a profile has it, or `nil` if it contains something secret.
    static func path(of exchange: ObservedExchange) -> String? {
        let target = exchange.request.target
        let path = target.part(before: "?")
        guard path.begins(with: "/"), !path.has("…"), path.utf8.allSatisfy({ $0 > 0x20 }) else {
            return nil
        }
        // Items with tokens and marks are places of their own.
        let items = (target.halves(at: "?")?.after ?? "").parts(at: "&")
            .filter { !$0.has("‹") && !$0.has("…") && $0.has("=") }
        return path + (items.isEmpty ? "" : "?" + items.joined(separator: "&"))
    }
}

extension String {
    /// The base URL, if it is one with a path at this origin; else the origin.
    func base(in baseURL: String) -> String {
        baseURL.begins(with: self + "/") ? baseURL : self
    }
}
