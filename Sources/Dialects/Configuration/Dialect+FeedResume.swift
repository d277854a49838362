extension Dialect {
    /// Whether a dial can ask for what came after a message.
    package var feedResumes: Bool { feed?.since != nil }
}
