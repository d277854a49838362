import Dispatch
import Glibc

/// The signals that ask a program without a screen to end.
///
/// Unchecked: the sources are kept alive and never touched again.
final class SignalWatch: @unchecked Sendable {
    private let sources: [any DispatchSourceSignal]
    let signals: AsyncStream<Int32>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.signals = signals
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in continuation.yield(number) }
            source.resume()
            return source
        }
    }
}
