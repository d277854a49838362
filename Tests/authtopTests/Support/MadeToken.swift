import Foundation

/// A web token without a signature, for readers that do not verify it.
struct MadeToken {
    let text: String

    /// - Parameters:
    ///   - claims: As JSON.
    ///   - header: As JSON.
    init(_ claims: String, header: String = #"{"alg":"HS256","typ":"JWT"}"#) {
        text = Self.part(header) + "." + Self.part(claims) + ".c2lnbmF0dXJl"
    }

    /// That ends this many seconds from now, and was issued ten minutes before its end.
    init(endsIn seconds: Int, subject: String = "9") {
        let end = Int(Date().timeIntervalSince1970) + seconds
        self.init(#"{"sub":"\#(subject)","iat":\#(end - 600),"exp":\#(end)}"#)
    }

    static func part(_ text: String) -> String { encoded(Data(text.utf8)) }

    static func encoded(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            .replacing("=", with: "")
    }
}
