/// The terms of one side for permessage-deflate (RFC 7692), as the client's offer or the server's
/// terms.
package struct WebSocketCompression: Sendable, Hashable {
    static let name = "permessage-deflate"
    /// The window sizes that can be agreed on, as powers of two.
    static let windowBits = 8...15
    /// Those that zlib can compress with.
    static let usableBits = 9...15

    /// Whether the server compresses each message by itself.
    var serverNoContextTakeover: Bool
    /// Whether the client compresses each message by itself.
    var clientNoContextTakeover: Bool
    /// The size of the server's window, 9 to 15.
    var serverMaxWindowBits: Int
    /// The size of the client's window, 9 to 15.
    var clientMaxWindowBits: Int

    package init(
        serverNoContextTakeover: Bool = false,
        clientNoContextTakeover: Bool = false,
        serverMaxWindowBits: Int = 15,
        clientMaxWindowBits: Int = 15
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// The offer as a value of `Sec-WebSocket-Extensions`.
    var offer: String {
        var parts = [Self.name]
        if serverNoContextTakeover { parts.append("server_no_context_takeover") }
        if clientNoContextTakeover { parts.append("client_no_context_takeover") }
        if serverMaxWindowBits < 15 {
            parts.append("server_max_window_bits=\(serverMaxWindowBits)")
        }
        let isSmaller = clientMaxWindowBits < 15
        parts.append("client_max_window_bits" + (isSmaller ? "=\(clientMaxWindowBits)" : ""))
        return parts.joined(separator: "; ")
    }
}

/// The terms that both sides have agreed on.
package struct AgreedCompression: Sendable, Hashable {
    package var serverNoContextTakeover = false
    package var clientNoContextTakeover = false
    package var serverMaxWindowBits = 15
    package var clientMaxWindowBits = 15

    init() {}

    /// Reads what a server has agreed to, without the offer; `nil` if another extension is in use,
    /// or none.
    ///
    /// - Parameter values: The values of `Sec-WebSocket-Extensions` in the response.
    package init?(reading values: [String]) {
        guard let offers = try? ExtensionOffer.parse(values), offers.count == 1,
            offers[0].name == WebSocketCompression.name,
            let parameters = try? Parameters(offers[0])
        else { return nil }
        serverNoContextTakeover = parameters.serverNoContextTakeover
        clientNoContextTakeover = parameters.clientNoContextTakeover
        serverMaxWindowBits = parameters.serverMaxWindowBits ?? 15
        clientMaxWindowBits = (parameters.clientMaxWindowBits ?? 15) ?? 15
    }
}

/// The parameters of one permessage-deflate in a header (RFC 7692 section 7.1).
private struct Parameters {
    var serverNoContextTakeover = false
    var clientNoContextTakeover = false
    /// The value, or `nil` if there is no such parameter.
    var serverMaxWindowBits: Int?
    /// The value; `.some(nil)` for the parameter without one.
    var clientMaxWindowBits: Int??

    /// - Throws: The reason why the parameters are invalid.
    init(_ offer: ExtensionOffer) throws(ExtensionProblem) {
        var names: Set<String> = []
        for (name, value) in offer.parameters {
            guard names.insert(name).inserted else { throw ExtensionProblem("\(name) twice") }
            switch (name, value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("server_max_window_bits", let value?):
                serverMaxWindowBits = try Self.bits(value, of: name)
            case ("client_max_window_bits", let value):
                clientMaxWindowBits = .some(
                    try value.map { (value) throws(ExtensionProblem) in
                        try Self.bits(value, of: name)
                    }
                )
            default: throw ExtensionProblem("an invalid parameter of permessage-deflate")
            }
        }
    }

    /// A decimal number without leading zeros.
    private static func bits(_ text: String, of name: String) throws(ExtensionProblem) -> Int {
        guard let bits = Int(text), "\(bits)" == text,
            WebSocketCompression.windowBits.contains(bits)
        else { throw ExtensionProblem("an invalid value of \(name)") }
        return bits
    }
}

/// Why a header about extensions cannot be accepted.
struct ExtensionProblem: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}

extension WebSocketCompression {
    /// Accepts the first acceptable offer of a client.
    ///
    /// - Parameter values: The values of `Sec-WebSocket-Extensions`.
    /// - Returns: The terms, and the response with them; `nil` if no offer is acceptable.
    func accept(_ values: [String]) -> (agreed: AgreedCompression, response: String)? {
        guard let offers = try? ExtensionOffer.parse(values) else { return nil }
        for offer in offers where offer.name == Self.name {
            if let accepted = (try? Parameters(offer)).flatMap(accept) { return accepted }
        }
        return nil
    }

    private func accept(
        _ offer: Parameters
    ) -> (agreed: AgreedCompression, response: String)? {
        var agreed = AgreedCompression()
        var response = [Self.name]
        if offer.serverNoContextTakeover || serverNoContextTakeover {
            agreed.serverNoContextTakeover = true
            response.append("server_no_context_takeover")
        }
        if offer.clientNoContextTakeover || clientNoContextTakeover {
            agreed.clientNoContextTakeover = true
            response.append("client_no_context_takeover")
        }
        agreed.serverMaxWindowBits = min(offer.serverMaxWindowBits ?? 15, serverMaxWindowBits)
        guard Self.usableBits.contains(agreed.serverMaxWindowBits) else { return nil }
        if offer.serverMaxWindowBits != nil || agreed.serverMaxWindowBits < 15 {
            response.append("server_max_window_bits=\(agreed.serverMaxWindowBits)")
        }
        if let limit = offer.clientMaxWindowBits {
            agreed.clientMaxWindowBits = min(limit ?? 15, clientMaxWindowBits)
            if agreed.clientMaxWindowBits < 15 {
                response.append("client_max_window_bits=\(agreed.clientMaxWindowBits)")
            }
        }
        return (agreed, response.joined(separator: "; "))
    }

    /// Checks the response of a server to this offer.
    ///
    /// - Parameter values: The values of `Sec-WebSocket-Extensions` in the response.
    /// - Returns: The terms that it has agreed to, or `nil` if it uses no extension.
    /// - Throws: If the response does not fit the offer.
    func agreed(by values: [String]) throws(ExtensionProblem) -> AgreedCompression? {
        let extensions = try ExtensionOffer.parse(values)
        guard let response = extensions.first else { return nil }
        guard extensions.count == 1, response.name == Self.name else {
            throw ExtensionProblem("an extension that was not requested")
        }
        let answer = try Parameters(response)
        guard answer.serverNoContextTakeover || !serverNoContextTakeover else {
            throw ExtensionProblem("no server_no_context_takeover, which was requested")
        }
        guard answer.serverMaxWindowBits ?? 15 <= serverMaxWindowBits else {
            throw ExtensionProblem("a larger server_max_window_bits than was requested")
        }
        var agreed = AgreedCompression()
        agreed.serverNoContextTakeover = answer.serverNoContextTakeover
        agreed.clientNoContextTakeover = answer.clientNoContextTakeover || clientNoContextTakeover
        agreed.serverMaxWindowBits = answer.serverMaxWindowBits ?? 15
        agreed.clientMaxWindowBits = clientMaxWindowBits
        if let limit = answer.clientMaxWindowBits {
            guard let limit else {
                throw ExtensionProblem("client_max_window_bits without a value")
            }
            agreed.clientMaxWindowBits = min(limit, clientMaxWindowBits)
        }
        return agreed
    }
}
