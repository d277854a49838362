import Platform
import Profiles

extension Profile {
    /// Reads the client's certificate and key, of which only the user may read the key.
    ///
    /// - Throws: `CommandFailure` with the file and the key of the profile.
    func clientCertificate(in environment: LiveEnvironment) throws -> ClientCertificate? {
        guard let files = transport.clientCertificate else { return nil }
        let certificate = try environment.path(files.certificate)
        let key = try environment.path(files.key)
        let keyText = try CredentialFile(path: key).contents()
        do throws(ClientCertificateError) {
            return try ClientCertificate(file: certificate, key: Array(keyText.utf8))
        } catch {
            let problem =
                switch error {
                case .noCertificate:
                    "client_certificate: \(certificate) contains no certificate in PEM format"
                case .noKey:
                    "client_key: \(key) contains no private key in PEM format without a passphrase"
                case .otherKey: "client_key: \(key) is not the key of \(certificate)"
                }
            throw CommandFailure(.badInput, "\(self.files.first ?? name): \(problem)")
        }
    }
}
