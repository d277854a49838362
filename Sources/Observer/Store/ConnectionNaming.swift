package import Model

/// Finds the processes behind an app's connections, as far as they are of this machine.
package protocol ConnectionNaming: Sendable {
    /// Returns the process that has opened a connection, or `nil` if it is not known.
    func process(of connection: Int) -> ClientProcess?

    /// Waits, for a moment at most, until the processes are found that are looked for.
    func settle() async
}
