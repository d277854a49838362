import NIOCore
import NIOHTTP2
import Observer
import Platform

/// The opening of a connection to the backend, or of a stream on one of HTTP/2.
extension AppChannel {
    func connect() {
        route = .connecting
        let opened =
            stream?.connection.openStream()
            ?? listener.connector.connect { operations in
                try operations.addHandler(UpstreamChannel())
            }
        opened.assumeIsolated()
            .whenComplete { [self] result in
                switch result {
                case .success(let channel): connected(channel)
                case .failure(let error): notConnected(error)
                }
            }
    }

    private func connected(_ channel: any Channel) {
        guard !isOver, let exchange, let context,
            let upstream = try? channel.pipeline.syncOperations.handler(type: UpstreamChannel.self)
        else {
            channel.close(promise: nil)
            if !isOver { context?.close(promise: nil) }
            return
        }
        if let objection = shared.objection(to: channel, isNamed: listener.isObserved) {
            channel.close(promise: nil)
            route = .over
            fail(exchange, .notSent(message: objection.message(of: listener.name)))
            refuse(objection, of: listener.name, to: exchange.request)
            return
        }
        route = .open(upstream)
        send(exchange, to: upstream)
        upstream.adopt(by: self)
        proceed()
        context.flush()
    }

    private func notConnected(_ error: any Error) {
        guard !isOver else { return }
        route = .over
        if let error = error as? HTTP2BackendError, let exchange {
            return notOpened(error, for: exchange)
        }
        explain(error, at: .connecting) { [self] failure in
            guard let exchange else { return }
            fail(exchange, .notSent(message: failure.message))
            let status = failure.isTimeout ? 504 : 502
            answer(ProxyResponse(status: status, message: failure.message), to: exchange.request)
        }
    }

    func notOpened(_ error: HTTP2BackendError, for exchange: RelayedExchange) {
        switch error {
        case .unspoken:
            let message = "\(listener.name) does not speak HTTP/2"
            fail(exchange, .notSent(message: message))
            answer(ProxyResponse(status: 502, message: message), to: exchange.request)
        case .over:
            fail(exchange, .notSent(message: "the backend had closed the connection"))
            reset(.refusedStream)
        }
    }
}
