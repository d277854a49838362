import Basics
import Profiles

extension KeyedStrings {
    /// The longest word of the protocol that is kept, in characters.
    private static let wordLimit = 128
    /// The most words of a list.
    private static let listLimit = 16

    /// Returns the fields without the values that may be secret.
    ///
    /// - Parameters:
    ///   - format: The format of the body.
    ///   - places: The paths of keys that lead to tokens, whatever their names.
    /// - Returns: The fields.
    func facts(_ format: BodyFacts.Format, tokensAt places: Set<String>) -> BodyFacts {
        let fields = members.compactMap { member -> BodyFacts.Field? in
            guard let path = member.path, let value = value(of: member, at: path, places) else {
                return nil
            }
            return BodyFacts.Field(path: path.inOneLine(limit: 128), value: value)
        }
        return BodyFacts(format: format, fields: Array(fields.prefix(BodyFacts.fieldLimit)))
    }

    private func value(
        of member: Member,
        at path: String,
        _ places: Set<String>
    ) -> BodyFacts.Value? {
        let (names, name) = (recognition.credentials, member.key)
        // `user.name` and `domain.id` are what the object is named for.
        let isNameOfHolder = ["id", "name"].contains(name.plainName)
        let holder = path.parts(at: ".").dropLast().last.map(String.init) ?? ""
        let isWord = names.isProtocolWord(name) || isNameOfHolder && names.isProtocolWord(holder)
        if case .array(let elements) = member.value {
            let words = elements.prefix(Self.listLimit).compactMap(\.stringValue)
            guard !words.isEmpty else { return nil }
            let isShort = words.allSatisfy { $0.count <= Self.wordLimit }
            return isWord && isShort && words.count == elements.count
                ? .texts(words.map { $0.inOneLine(limit: Self.wordLimit) }) : .other
        }
        guard let text = member.value.displayText else { return nil }
        if places.contains(path) { return .token }
        if case .bool(let flag) = member.value { return .flag(flag) }
        if member.role != nil, member.tokenText != nil { return .token }
        if names.isCredential(name) || names.isUserName(name)
            || isNameOfHolder && names.isUserName(holder)
        {
            return .credential
        }
        guard isWord, text.count <= Self.wordLimit else { return .other }
        return .text(text.inOneLine(limit: Self.wordLimit))
    }
}
