package import Basics

/// The request by which a client without an id gets one (RFC 7591 section 3.1).
struct RegistrationExchange: Sendable, Hashable {
    var request: RequestShape

    static let key = "registration"
}

/// The client as the authorization server has registered it.
package struct RegisteredClient: Sendable, Hashable {
    package let id: String
    /// The client's secret, or `nil` for a public client.
    package let secret: Secret?
    /// When the secret ends, in seconds since 1970, or `nil` for never.
    package let secretExpiresAt: Double?
    /// Whether the server has said that it does not know the client any more: the next login registers
    /// another one, and until then a renewal may still try.
    package var isForgotten: Bool

    package init(id: String, secret: Secret?, secretExpiresAt: Double?, isForgotten: Bool = false) {
        self.id = id
        self.secret = secret
        self.secretExpiresAt = secretExpiresAt
        self.isForgotten = isForgotten
    }

    /// The credentials by their names.
    package var credentials: [String: Secret] {
        var values = [ClientAuthentication.idName: Secret(id)]
        values[ClientAuthentication.secretName] = secret
        return values
    }

    /// Returns whether a login needs another client, by seconds since 1970.
    package func isOver(at seconds: Double) -> Bool {
        isForgotten || secretExpiresAt.map { $0 <= seconds } ?? false
    }
}

/// An answer of an authorization server which says that it does not know the client.
package struct ClientRefusal: Sendable, Hashable {
    package let status: Int
    /// The server's words if there are any, bounded and on one line.
    package let message: String?

    /// The errors that say so: RFC 6749 section 5.2 has the first one for an unknown client, and some
    /// servers answer with the second one.
    package static let errors: Set = ["invalid_client", "unauthorized_client"]
}

/// Why an answer registers no client that the profile can use.
package enum RegistrationProblem: Error, Sendable, Hashable {
    /// The status, with the server's words if there are any, bounded and on one line.
    case refused(status: Int, message: String?)
    /// It is no JSON object with a `client_id`; with the server's words as above.
    case unreadable(message: String?)
    /// The server expects another authentication than the profile has, by its name in RFC 7591.
    case otherMethod(String)
    /// The profile sends a secret, and there is none.
    case withoutSecret
}

extension Dialect {
    /// Whether the client is registered by the program, unless it is known already.
    package var registersClient: Bool {
        registration != nil && clientCredentials.contains(ClientAuthentication.idName)
    }

    /// Returns the request, which needs no authentication, or `nil` if the dialect has none.
    package func registrationRequest() -> WireRequest? {
        guard var shape = registration?.request else { return nil }
        shape.fields = registrationFields.merging(shape.fields) { _, own in own }
        return shape.filled().acceptingJSON
    }

    /// What the client states about itself (RFC 7591 section 2).
    private var registrationFields: [String: JSONValue] {
        let grant = login.request.fields["grant_type"]?.stringValue
        let grants = [grant, hasRefreshToken ? "refresh_token" : nil].compactMap(\.self)
        var fields: [String: JSONValue] = [
            "client_name": "authtop",
            "grant_types": .array(grants.map(JSONValue.string)),
            Self.methodKey: .string(registeredMethod),
            "response_types": [],
        ]
        if let authorization = login.authorization {
            // Any port must do for a redirect to this machine (RFC 8252 section 7.3), but a server
            // may compare it nevertheless.
            let port = authorization.redirectPort.map { ":\($0)" } ?? ""
            let redirect = "http://127.0.0.1\(port)\(authorization.redirectPath)"
            fields["redirect_uris"] = [.string(redirect)]
            fields["response_types"] = ["code"]
        }
        let scope = login.authorization?.scope ?? login.device?.request.fields["scope"]?.stringValue
        if let scope { fields["scope"] = .string(scope) }
        return fields
    }

    private static let methodKey = "token_endpoint_auth_method"

    /// The client's way to authenticate, by its name in RFC 7591.
    private var registeredMethod: String {
        if login.request.sendsBasic { return "client_secret_basic" }
        return sendsClientSecret ? "client_secret_post" : "none"
    }

    private var sendsClientSecret: Bool {
        clientCredentials.contains(ClientAuthentication.secretName)
    }

    /// Returns what an answer to a request of the client says of a client that the server does not know,
    /// or `nil` if it does not say that, or the program registers none.
    package func clientRefusal(
        in response: WireResponse,
        hiding secrets: KnownSecrets
    ) -> ClientRefusal? {
        guard registersClient, [400, 401].contains(response.status) else { return nil }
        let body = ResponseBody(response, by: recognition)
        guard let error = body.json?.value(at: "error")?.stringValue,
            ClientRefusal.errors.contains(error)
        else { return nil }
        let message = message(in: body, response, hiding: secrets)
        return ClientRefusal(status: response.status, message: message)
    }

    /// Reads the answer to a registration.
    package func readRegistration(
        _ response: WireResponse
    ) throws(RegistrationProblem) -> RegisteredClient {
        var message: String? {
            ServerMessage.find(
                in: ResponseBody(response),
                at: errorMessagePaths,
                hiding: .none,
                of: []
            )
        }
        guard (200..<300).contains(response.status) else {
            throw .refused(status: response.status, message: message)
        }
        guard let body = JSONValue(parsing: response.body),
            let id = body[ClientAuthentication.idName]?.stringValue, !id.isEmpty,
            id.utf8.count <= 2048
        else { throw .unreadable(message: message) }
        if let method = body[Self.methodKey]?.stringValue, method != registeredMethod {
            throw .otherMethod(method.inOneLine(limit: 60))
        }
        let secret = body[ClientAuthentication.secretName]?.stringValue
            .flatMap { $0.isEmpty ? nil : Secret($0) }
        guard secret != nil || !sendsClientSecret else { throw .withoutSecret }
        // Zero means that it does not end.
        let end = body["client_secret_expires_at"]?.numberValue.flatMap { $0 > 0 ? $0 : nil }
        return RegisteredClient(
            id: id,
            secret: sendsClientSecret ? secret : nil,
            secretExpiresAt: sendsClientSecret ? end : nil
        )
    }
}
