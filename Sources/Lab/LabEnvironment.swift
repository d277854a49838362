import Glibc

/// The outside world: standard streams and randomness.
enum LabEnvironment {
    static func randomSeed() -> SimulationSeed {
        SimulationSeed(value: UInt64.random(in: .min ... .max))
    }
}

/// Writes a line to stdout at once.
func printResult(_ line: String) {
    write(line, to: STDOUT_FILENO)
}

/// Writes a line to stderr.
func printProgress(_ line: String) {
    write(line, to: STDERR_FILENO)
}

private func write(_ line: String, to descriptor: Int32) {
    var rest = Array((line + "\n").utf8)[...]
    while !rest.isEmpty {
        let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count > 0 else { return }
        rest = rest.dropFirst(count)
    }
}
