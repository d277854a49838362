/// A word of the screen that a reader may not know, with what it means in half a sentence.
struct GlossaryTerm: Sendable, Equatable {
    let name: String
    let meaning: String

    static let fresh = GlossaryTerm(
        name: "fresh",
        meaning: "the access token is usable, as far as its lifetime tells"
    )
    static let heldBack = GlossaryTerm(
        name: "held back",
        meaning: "the backend refuses what it has just issued"
    )

    /// Those that the help explains.
    static let all = [
        fresh,
        GlossaryTerm(name: "generation 7", meaning: "the 7th pair since the login"),
        GlossaryTerm(name: "generation 2.7", meaning: "the 7th pair since the 2nd login"),
        GlossaryTerm(name: "rotated", meaning: "a renewal has replaced the refresh token"),
        GlossaryTerm(name: "spent", meaning: "used up by a renewal: the backend may refuse it"),
        heldBack,
        GlossaryTerm(
            name: "grace window",
            meaning: "the time in which a spent refresh token is still accepted"
        ),
    ]
}
