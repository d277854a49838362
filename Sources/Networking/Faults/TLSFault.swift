extension NetworkFault {
    /// The fault behind an error of NIOSSL, by its description.
    ///
    /// BoringSSL's reasons can be had in no other way: they stand there as
    /// `error:1000007d:SSL routines:OPENSSL_internal:CERTIFICATE_VERIFY_FAILED at …`.
    init(tls description: String) {
        if description.contains("EOF during handshake")
            || description.contains("uncleanShutdown")
        {
            self = .handshakeEnded
        } else if description.contains("failedToValidateHostname")
            || description.contains("serverHostnameImpossibleToMatch")
            || description.contains("unableToValidateCertificate")
        {
            self = .wrongName
        } else {
            switch Self.reason(in: description) {
            case "CERTIFICATE_VERIFY_FAILED"?: self = .untrusted(nil)
            case "WRONG_VERSION_NUMBER"?, "HTTP_REQUEST"?, "HTTPS_PROXY_REQUEST"?: self = .notTLS
            case "TLSV1_ALERT_PROTOCOL_VERSION"?, "UNSUPPORTED_PROTOCOL"?, "WRONG_SSL_VERSION"?:
                self = .oldTLS
            case let name?: self = .tls(name)
            case nil: self = .tls("the handshake failed")
            }
        }
    }

    private static func reason(in description: String) -> String? {
        guard let mark = description.firstRange(of: "OPENSSL_internal:") else { return nil }
        let name = description[mark.upperBound...].prefix {
            $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_")
        }
        return name.isEmpty ? nil : String(name)
    }
}
