import Dispatch
import Glibc
import Vaults

/// The signals that ask a program without a screen to end.
///
/// A handler notes them in a pipe: a signal source of Dispatch loses one that comes while it is
/// being registered.
///
/// Unchecked: the source is kept alive, and only cancelled.
final class SignalWatch: @unchecked Sendable {
    private let source: any DispatchSourceRead
    let signals: AsyncStream<Int32>

    init() {
        let (signals, continuation) = AsyncStream.makeStream(of: Int32.self)
        self.signals = signals
        let descriptor = SignalCatcher.watch()
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global())
        source.setEventHandler { @Sendable in
            var number: UInt8 = 0
            while read(descriptor, &number, 1) == 1 { continuation.yield(Int32(number)) }
        }
        source.resume()
    }

    deinit { source.cancel() }
}
