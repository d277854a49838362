import Basics
import Profiles

extension KeyedStrings {
    /// The longest word of the protocol that is kept, in characters.
    private static let wordLimit = 128

    /// Returns the fields without the values that may be secret.
    ///
    /// - Parameters:
    ///   - format: The format of the body.
    ///   - places: The paths of keys that lead to tokens, whatever their names.
    /// - Returns: The fields.
    func facts(_ format: BodyFacts.Format, tokensAt places: Set<String>) -> BodyFacts {
        let fields = members.compactMap { member -> BodyFacts.Field? in
            guard let path = member.path, let text = member.value.displayText else { return nil }
            let value = places.contains(path) ? .token : value(of: member, text)
            return BodyFacts.Field(path: path.inOneLine(limit: 128), value: value)
        }
        return BodyFacts(format: format, fields: Array(fields.prefix(BodyFacts.fieldLimit)))
    }

    private func value(of member: Member, _ text: String) -> BodyFacts.Value {
        let name = member.key
        if case .bool(let flag) = member.value { return .flag(flag) }
        if member.role != nil, member.tokenText != nil { return .token }
        let names = recognition.credentials
        if names.isCredential(name) || names.isUserName(name) { return .credential }
        guard names.isProtocolWord(name), text.count <= Self.wordLimit else { return .other }
        return .text(text.inOneLine(limit: Self.wordLimit))
    }
}
