import Basics

/// The status of a call of gRPC, which is in the fields after the answer, or in its head if there is
/// nothing else.
enum GRPCStatus {
    static let field = "grpc-status"
    private static let words = "grpc-message"
    /// DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, INTERNAL and UNAVAILABLE.
    static let transient: Set = [4, 8, 13, 14]
    private static let names = [
        "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
        "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED", "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS",
        "UNAUTHENTICATED",
    ]

    /// Returns the status, 0 being success, or `nil` if the answer is of no such call.
    static func code(of response: WireResponse) -> Int? {
        response.header(field).flatMap(Int.init).flatMap {
            (0...names.count).contains($0) ? $0 : nil
        }
    }

    /// Returns the name of a status that is no success.
    static func name(_ code: Int) -> String? {
        code > 0 && code <= names.count ? names[code - 1] : nil
    }

    /// Returns the server's words about a status that is no success.
    static func message(of response: WireResponse) -> String? {
        guard let code = code(of: response), code > 0 else { return nil }
        return response.header(words).map { PercentEncoding.decode($0, plusIsSpace: false) }
    }
}
