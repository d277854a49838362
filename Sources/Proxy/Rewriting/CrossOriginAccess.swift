import Basics
package import Platform

/// The pages that get to read answers which the backend keeps from their origins.
///
/// A page that can read answers has what the app's user has, cookies included, and any page in the
/// user's browser can reach a proxy on this machine. So this is for pages that come from this machine,
/// and those of origins that were named. The origin `null` is that of every page that wants to have it.
package struct CrossOriginAccess: Sendable, Hashable {
    private let named: Set<BackendOrigin>

    /// - Parameter named: Origins of pages on other machines.
    package init(alsoFor named: Set<BackendOrigin> = []) {
        self.named = named
    }

    func allows(_ origin: String) -> Bool {
        guard let page = try? BackendOrigin(parsing: origin, allowInsecure: true),
            page == page.withoutPath
        else { return false }
        return page.isLoopback || named.contains(page)
    }
}

/// The fields that an answer lacks so that a browser gives it to a page of another origin, or sends
/// the request that the page has in mind (Fetch Standard, section 3.3).
///
/// It is only for answers that say nothing of this. An answer to such a question of a browser (a
/// preflight) that is no success becomes one, without a body.
struct CrossOriginAddition: Sendable, Hashable {
    /// Fields that pages of other origins can read anyway, that no page can, or that concern the
    /// connection.
    private static let unexposed: Set<String> = [
        "cache-control", "connection", "content-language", "content-length", "content-type",
        "expires",
        "keep-alive", "last-modified", "pragma", "set-cookie", "transfer-encoding", "vary",
    ]
    private static let prefix = "access-control-"

    /// The page's.
    let origin: String
    /// The fields that answer the browser's question, or `nil` if it asked none.
    private let permission: [HeadField]?
    /// Whether the answer is replaced by one without a body.
    let replacesAnswer: Bool

    /// Creates what is added to an answer, or `nil` if nothing is.
    ///
    /// - Parameters:
    ///   - response: The backend's answer.
    ///   - request: The app's request.
    ///   - own: The origin by which the app has reached the proxy.
    ///   - access: Which pages get it.
    init?(
        to response: ResponseMessage,
        of request: RequestMessage,
        at own: String,
        for access: CrossOriginAccess
    ) {
        let origins = request.fields.filter { $0.key == "origin" }
        guard origins.count == 1, response.status >= 200,
            !response.fields.contains(where: { $0.key == "access-control-allow-origin" })
        else { return nil }
        origin = origins[0].value
        guard origin.asciiLowercased != own.asciiLowercased, access.allows(origin) else {
            return nil
        }
        permission = Self.permission(for: request)
        replacesAnswer = permission != nil && !(200..<300).contains(response.status)
    }

    private static func permission(for request: RequestMessage) -> [HeadField]? {
        guard request.method == "OPTIONS",
            let method = request.fields.first(where: { $0.key == "access-control-request-method" })
        else { return nil }
        let headers = request.fields.filter { $0.key == "access-control-request-headers" }
        return [HeadField("Access-Control-Allow-Methods", method.value)]
            + headers.map { HeadField("Access-Control-Allow-Headers", $0.value) }
    }

    /// Returns an answer with what it lacks.
    func adding(to response: ResponseMessage) -> ResponseMessage {
        var result = response
        result.fields.removeAll { $0.key.begins(with: Self.prefix) }
        if replacesAnswer {
            result.status = 204
            result.reason = WireText("No Content")
            result.fields.removeAll { !["connection", "keep-alive", "date"].contains($0.key) }
        }
        let exposed = permission == nil ? Self.exposed(result.fields) : []
        result.fields.addToVary("Origin")
        result.fields += [
            HeadField("Access-Control-Allow-Origin", origin),
            HeadField("Access-Control-Allow-Credentials", "true"),
        ]
        result.fields += permission ?? []
        if !exposed.isEmpty {
            let names = exposed.joined(separator: ", ")
            result.fields.append(HeadField("Access-Control-Expose-Headers", names))
        }
        return result
    }

    /// Returns the names of the fields that a page cannot read without permission; with credentials,
    /// each has to be named.
    private static func exposed(_ fields: [HeadField]) -> [String] {
        var seen = unexposed
        return fields.compactMap { seen.insert($0.key).inserted ? $0.name : nil }
    }
}

extension [HeadField] {
    /// Says that an answer depends on a field of the request (RFC 9110 section 12.5.5).
    fileprivate mutating func addToVary(_ name: String) {
        guard !list("vary", contains: "*"), !list("vary", contains: name.asciiLowercased) else {
            return
        }
        if let index = firstIndex(where: { $0.key == "vary" }) {
            self[index].value += ", \(name)"
        } else {
            append(HeadField("Vary", name))
        }
    }
}
