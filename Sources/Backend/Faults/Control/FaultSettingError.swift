import Dialects

/// Why what a person wrote sets no fault.
package enum FaultSettingError: Error, Sendable, Equatable {
    case unknownFault(String)
    case unknownWord(String, fault: String)
    case badValue(String, expected: String, fault: String)
    case notConcerned(ExchangeKind, fault: String)
    /// Only one of two words can be true.
    case contradiction(String, String, fault: String)
}

extension FaultSettingError: CustomStringConvertible {
    /// One line, which lists what there is.
    package var description: String {
        switch self {
        case .unknownFault(let name):
            let known = KnownFault.all.map(\.name)
            let nearest = name.isEmpty ? nil : NearestKey.of(name, among: known)
            let hint = nearest.map { ": did you mean \($0)?" } ?? "."
            return "there is no fault \"\(name.inOneLine(limit: 60))\"\(hint) "
                + "There are \(known.joined(separator: ", "))"
        case .unknownWord(let word, let fault):
            return "\(fault): \"\(word.inOneLine(limit: 60))\" is not understood, expected "
                + Self.message(for: fault)
        case .badValue(let word, let expected, let fault):
            return "\(fault): \"\(word.inOneLine(limit: 60))\": expected \(expected)"
        case .notConcerned(let kind, let fault):
            let kinds = KnownFault.named(fault)?.kinds.map(\.rawValue) ?? []
            return "\(fault) cannot show in \(kind.rawValue), only in "
                + kinds.joined(separator: ", ")
        case .contradiction(let first, let second, let fault):
            return
                "\(fault): \(first.inOneLine(limit: 60)) and \(second.inOneLine(limit: 60)) exclude each other"
        }
    }

    private static func message(for name: String) -> String {
        let fault = KnownFault.named(name)
        let parameter = fault?.parameter.map { "\($0.name.rawValue)=N" }
        return
            (["on", "off", "once", "next=N", "p=X"] + (fault?.kinds.map(\.rawValue) ?? [])
            + [parameter].compactMap(\.self)).joined(separator: ", ")
    }
}
