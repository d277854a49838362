import CLibFuzzer
import Foundation

/// Runs libFuzzer on the target that `FUZZ_TARGET` names; the arguments are libFuzzer's own.
///
/// It is a variable and not an argument, because libFuzzer restarts itself to merge and to
/// minimize.
@main
enum Main {
    private static let targets: [any FuzzTarget.Type] = [
        ResponseTarget.self, ChannelTarget.self, DialTarget.self, EventStreamTarget.self,
        FrameTarget.self, InflaterTarget.self, JSONTarget.self, RequestFuzzTarget.self,
        TimeTarget.self, TOMLTarget.self, TrafficTarget.self, WebTokenTarget.self,
    ]

    private static let chosen = ProcessInfo.processInfo.environment["FUZZ_TARGET"]
        .flatMap { name in targets.first { $0.name == name } }

    static func main() {
        guard chosen != nil else {
            print(targets.map { $0.name }.joined(separator: "\n"))
            return
        }
        var count = CommandLine.argc
        var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
        let code = LLVMFuzzerRunDriver(&count, &arguments) { start, count in
            Main.chosen?.read(Array(UnsafeBufferPointer(start: start, count: count)))
            return 0
        }
        exit(code)
    }
}
