import Foundation

/// Returns the number of processes in a group that have not ended.
package func processCount(inGroup group: Int32) -> Int {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.filter { Int32($0) != nil }.count { name in
        guard let stat = try? String(contentsOfFile: "/proc/\(name)/stat", encoding: .utf8)
        else { return false }
        // After the name, which may contain anything: the state, the parent, the group.
        let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 2 && fields[0] != "Z" && Int32(fields[2]) == group
    }
}
