/// A process of this machine that sends requests, and those that took its place after its end.
package struct ClientProcess: Sendable, Hashable, Codable {
    /// The name of its program or script.
    package var name: String
    /// The process id when it was first seen.
    package var id: Int

    package init(name: String, id: Int) {
        self.name = name
        self.id = id
    }
}

extension ClientProcess: CustomStringConvertible {
    /// Such as `worker.py[4121]`.
    package var description: String { "\(name)[\(id)]" }
}
