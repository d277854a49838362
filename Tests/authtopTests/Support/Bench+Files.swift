import Foundation
import TestSupport

extension Bench {
    /// Writes a file below the home folder.
    @discardableResult
    func write(_ text: String, to name: String) throws -> String {
        let url = URL(filePath: home).appending(path: name)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: url)
        return home + "/" + name
    }
}

extension Bench {
    /// Writes a file that other users cannot read.
    @discardableResult
    func writePrivately(_ text: String, to name: String) throws -> String {
        let path = try write(text, to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    /// Starts authtop with something to read.
    func authtop(
        _ arguments: [String],
        reading text: String,
        with variables: [String: String] = [:]
    ) throws -> Program {
        let path = try writePrivately(text, to: "input-\(arguments.hashValue.magnitude)")
        return keep(
            try Program(
                "/bin/sh",
                ["-c", "exec \"$0\" \"$@\" <\(path)", Authtop.path] + arguments,
                environment: environment.merging(variables) { $1 }
            )
        )
    }
}

extension Bench {
    /// Every file below the home folder, whatever wrote it.
    var files: [String] {
        get throws {
            try FileManager.default.subpathsOfDirectory(atPath: home)
                .map { "\(home)/\($0)" }
                .filter { path in
                    let type = try FileManager.default.attributesOfItem(atPath: path)[.type]
                    return type as? FileAttributeType == .typeRegular
                }
        }
    }

    /// The counts of the sessions in the state folder, as they stand there now.
    var counted: [[String: JSON]] {
        get throws {
            try stateNames.filter { $0.hasSuffix(".statistics") }.map { name in
                let path = "\(home)/state/authtop/\(name)"
                return try JSON.object(in: String(contentsOfFile: path, encoding: .utf8))
            }
        }
    }

    /// The names of the files in the state folder, in order.
    var stateNames: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: home + "/state/authtop").sorted()
        }
    }
}
