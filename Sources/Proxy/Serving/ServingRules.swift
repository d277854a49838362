import Basics
import Profiles

/// The user of the program at the other end of a connection within this machine.
enum PeerUser: Sendable, Hashable {
    /// By the number of the user.
    case user(UInt32)
    /// The system does not tell.
    case unknown
}

/// The programs that may use a session that is served: those of the user who serves it, and no pages of
/// a browser but those that were named.
package struct ServingRules: Sendable {
    /// The number of the user who serves.
    let user: UInt32
    /// The origins of pages that may use it, in lower case.
    let origins: Set<String>
    /// Whether programs of other users may use it.
    let allowsOtherUsers: Bool

    /// - Parameters:
    ///   - user: The number of the user who serves.
    ///   - origins: Those of pages that may use it, without a path.
    ///   - allowsOtherUsers: Whether programs of all users of the machine may use it.
    package init(user: UInt32, origins: some Sequence<String> = [], allowsOtherUsers: Bool = false)
    {
        self.user = user
        self.origins = Set(origins.map { $0.asciiLowercased })
        self.allowsOtherUsers = allowsOtherUsers
    }

    /// Returns why a connection is refused, as a sentence, or `nil` if it may be used.
    func refusal(of peer: PeerUser) -> String? {
        if allowsOtherUsers { return nil }
        let way = "use --socket, or start authtop serve with --allow-other-users"
        switch peer {
        case .user(let number) where number == user: return nil
        case .user(let number):
            return "refused a program of another user of this machine (uid \(number)): \(way)"
        case .unknown:
            return "refused a program whose user could not be determined: \(way)"
        }
    }

    /// Returns why a request is refused that a page in a browser could have sent, as a sentence, or
    /// `nil` if it may be sent.
    ///
    /// A browser tells the origin of a page in `Origin`, but not for each request; that it was a page
    /// which sent it, in `Sec-Fetch-Site` (W3C Fetch Metadata). `none` stands for the user.
    func refusal(of request: RequestMessage) -> String? {
        let origins = request.fields.filter { $0.key == "origin" }.map(\.value)
        let site = request.fields.first { $0.key == "sec-fetch-site" }?.value.asciiLowercased
        if let origin = origins.first(where: { !allows($0) }) {
            return Self.refusal(of: "the page at \(origin.shownOrigin)", origin)
        }
        // A page whose request goes to a name that is not trustworthy has neither, but a Referer.
        let referer = request.fields.first { $0.key == "referer" }?.value
        if origins.isEmpty, let origin = referer.map(\.originOfURL), !allows(origin) {
            return Self.refusal(of: "the page at \(origin.shownOrigin)", origin)
        }
        guard origins.isEmpty, let site, site != "none" else { return nil }
        let own = request.authority.map { "http://\($0)" }
        if site == "same-origin", let own, allows(own) { return nil }
        return Self.refusal(of: "a page in a browser", nil)
    }

    private func allows(_ origin: String) -> Bool { origins.contains(origin.asciiLowercased) }

    private static func refusal(of page: String, _ origin: String?) -> String {
        let refusal = "refused a request of \(page): any page could send one"
        // A page in a sandbox has no origin that could be named.
        guard origin?.asciiLowercased != "null" else { return refusal }
        return refusal + "; to let it use the session, start authtop serve with --allow-origin "
            + (origin?.shownOrigin ?? "ORIGIN")
    }
}

extension String {
    /// The origin of a URL: what comes before its path.
    fileprivate var originOfURL: String {
        guard let halves = halves(at: ":"), halves.after.utf8.starts(with: "//".utf8) else {
            return self
        }
        let host = halves.after.utf8.dropFirst(2).prefix { !"/?#".utf8.contains($0) }
        return "\(halves.before)://\(Substring(host))"
    }

    /// An origin in one line, and bounded.
    fileprivate var shownOrigin: String { inOneLine(limit: 80) }
}
