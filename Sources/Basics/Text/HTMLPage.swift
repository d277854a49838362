/// A page for a browser, without scripts.
package enum HTMLPage {
    /// - Parameters:
    ///   - title: The title, as text.
    ///   - body: The contents, as HTML.
    /// - Returns: The page.
    package static func html(title: String, body: String) -> String {
        """
        <!doctype html>
        <html lang="en">
        <meta charset="utf-8">
        <title>\(escaped(title))</title>
        <style>body { font: 1.1em/1.5 sans-serif; margin: 4em auto; max-width: 34em }</style>
        \(body)
        </html>

        """
    }

    /// Returns a text as HTML, in a value of an attribute too.
    package static func escaped(_ text: String) -> String {
        text.replacing(bytes: "&", with: "&amp;").replacing(bytes: "<", with: "&lt;")
            .replacing(bytes: ">", with: "&gt;").replacing(bytes: "\"", with: "&quot;")
    }
}
