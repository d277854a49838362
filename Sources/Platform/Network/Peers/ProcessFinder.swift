import Basics
import FoundationEssentials

/// A process of this machine.
package struct FoundProcess: Sendable, Hashable {
    package var id: Int
    /// When it was started, in the kernel's ticks: two processes of one id differ in it.
    var startedAt: UInt64
    /// The name of its program or script.
    package var name: String

    package init(id: Int, startedAt: UInt64, name: String) {
        self.id = id
        self.startedAt = startedAt
        self.name = name
    }
}

/// Finds the process at the other end of a connection within this machine, by Linux's `/proc`.
///
/// Where there is none, nothing is found. Only the processes of the same user, or all of them for the
/// administrator, can be seen.
package struct ProcessFinder: Sendable {
    /// The open files that are looked at for one connection.
    private static let fileLimit = 50_000
    private static let ancestorLimit = 16

    private let root: String
    private let ownID: Int
    /// Where a process was found last: likely to have the next connection, too.
    private var recent: [Int] = []

    package init() {
        self.init(root: "/proc", ownID: Int(ProcessInfo.processInfo.processIdentifier))
    }

    init(root: String, ownID: Int) {
        self.root = root
        self.ownID = ownID
    }

    /// Looks for the process that has opened a connection.
    ///
    /// A process that its program has forked to share the work counts as the one that did so, and one
    /// that has inherited the connection of a program that started it, as that program: git leaves
    /// its connections to the credential helpers that it runs.
    ///
    /// - Parameters:
    ///   - peer: The address and port of the process.
    ///   - own: Those that it connects to.
    ///   - sockets: The sockets since it has done so.
    /// - Returns: The process, or `nil` if none is found, or it is this one.
    package mutating func process(
        from peer: (host: String, port: Int),
        to own: (host: String, port: Int),
        in sockets: SocketTable
    ) -> FoundProcess? {
        guard let local = SocketTable.End(host: peer.host, port: peer.port),
            let remote = SocketTable.End(host: own.host, port: own.port),
            let owner = sockets.owner(at: local, to: remote),
            let id = opener(of: "socket:[\(owner.inode)]"), id != ownID
        else { return nil }
        recent.removeAll { $0 == id }
        recent = [id] + recent.prefix(7)
        return describe(leader(of: id))
    }

    /// Whether a process has not ended yet.
    package func isRunning(_ process: FoundProcess) -> Bool {
        guard let status = status(of: process.id), !status.hasEnded else { return false }
        return status.startedAt == process.startedAt
    }

    /// The first of the processes that have a socket, those between which have started each other.
    private func opener(of socket: String) -> Int? {
        var looked = 0
        guard var opener = (recent + processes).first(where: { has(socket, $0, &looked) }) else {
            return nil
        }
        var ancestor = opener
        for _ in 0..<Self.ancestorLimit {
            guard let parent = status(of: ancestor)?.parent, parent > 1, parent != ownID else {
                break
            }
            if has(socket, parent, &looked) { opener = parent }
            ancestor = parent
        }
        return opener
    }

    /// All processes, the newest first: their numbers begin again at the lowest after the highest.
    var processes: [Int] {
        let load = text("loadavg")?.trimming { $0 == UInt8(ascii: "\n") }
        let newest = load?.parts(at: " ").last.flatMap { Int($0) } ?? .max
        let names = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
        let ids = names.compactMap { Int($0) }.sorted(by: >)
        return ids.filter { $0 <= newest } + ids.filter { $0 > newest }
    }

    /// Whether a process has a socket open, as far as the files to be looked at suffice.
    private func has(_ socket: String, _ id: Int, _ looked: inout Int) -> Bool {
        guard looked < Self.fileLimit else { return false }
        let folder = "\(root)/\(id)/fd"
        for file in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            looked += 1
            guard looked <= Self.fileLimit else { return false }
            let path = "\(folder)/\(file)"
            if (try? FileManager.default.destinationOfSymbolicLink(atPath: path)) == socket {
                return true
            }
        }
        return false
    }

    /// The first of the processes of one program, each of which has started the next.
    private func leader(of id: Int) -> Int {
        var leader = id
        for _ in 0..<Self.ancestorLimit {
            guard let parent = status(of: leader)?.parent, parent > 1, parent != ownID,
                let name = name(of: leader), name == self.name(of: parent)
            else { break }
            leader = parent
        }
        return leader
    }

    private func describe(_ id: Int) -> FoundProcess? {
        guard let name = name(of: id), let status = status(of: id) else { return nil }
        return FoundProcess(id: id, startedAt: status.startedAt, name: name)
    }

    private func name(of id: Int) -> String? {
        text("\(id)/cmdline").flatMap(ProgramName.init)?.text
    }

    /// The first, second and twentieth field after the name, which may contain anything.
    private func status(of id: Int) -> (hasEnded: Bool, parent: Int, startedAt: UInt64)? {
        guard let text = text("\(id)/stat"), let end = text.utf8.lastIndex(of: UInt8(ascii: ")"))
        else { return nil }
        let fields = text[text.utf8.index(after: end)...].parts(at: " ")
        guard fields.count > 19, let parent = Int(fields[1]), let start = UInt64(fields[19]) else {
            return nil
        }
        return (fields[0] == "Z", parent, start)
    }

    private func text(_ path: String) -> String? {
        KernelFile.text(of: "\(root)/\(path)", limit: 4_096)
    }
}

/// The name of a program by its command line, in which nothing else is looked at: arguments may be
/// secrets.
struct ProgramName {
    private static let interpreters = [
        "python", "node", "ruby", "perl", "php", "deno", "bun", "sh", "bash",
    ]
    /// Those after which a word that is no file is one of their own commands, such as `run`.
    private static let runners: Set = ["deno", "bun"]
    private static let limit = 40

    let text: String

    /// - Parameter commandLine: The arguments, each ended by a null character.
    init?(_ commandLine: String) {
        let words = commandLine.parts(at: "\0").prefix(2)
        // A program may have replaced its arguments by a title, such as `gunicorn: worker [app]`.
        guard let first = words.first,
            let program = Self.base(first.part(before: " ").part(before: ":"))
        else { return nil }
        let isInterpreter = Self.interpreters.contains { name in
            program.part(after: name)?.utf8.allSatisfy { byte in
                byte == UInt8(ascii: ".")
                    || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
            } ?? false
        }
        let isScript =
            words.count > 1 && !words[1].begins(with: "-")
            && (words[1].has(".") || !Self.runners.contains(program))
        let script = isScript ? Self.base(words[1]) : nil
        text = isInterpreter ? script ?? program : program
    }

    /// The last part of a path, or `nil` if it has what names of programs have not.
    private static func base(_ path: Substring) -> String? {
        guard let name = path.parts(at: "/").last, name.utf8.count <= limit else { return nil }
        let isName = name.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && !"'\"\\<>|&;".utf8.contains(byte)
        }
        return isName ? String(name) : nil
    }
}
