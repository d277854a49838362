package import Basics
package import Profiles

/// The server's statements about the tokens in use when it was asked last.
package struct IntrospectionLog: Sendable, Equatable {
    package struct Dated: Sendable, Equatable {
        package let introspection: IntrospectionResult
        package let at: Moment
    }

    private var latest: [TokenQuestion: Dated] = [:]

    /// Returns the last answer to a question, or `nil` if there is none about the tokens in use.
    package subscript(question: TokenQuestion) -> Dated? { latest[question] }

    mutating func append(_ introspection: IntrospectionResult, at moment: Moment) {
        latest[introspection.question] = Dated(introspection: introspection, at: moment)
    }

    /// Forgets what was said of tokens that are no longer in use.
    mutating func clear() {
        latest = [:]
    }
}
