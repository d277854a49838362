/// Where keys go.
package enum KeyMode: Sendable, Hashable, CaseIterable {
    /// To the panes.
    case panes
    /// To the page that waits for an app.
    case waiting
    /// To the panes, and to the recording that they show.
    case replay
    /// To a text in an overlay.
    case overlay
    /// To a question that waits for its answer.
    case question
    /// To the filter that is being written.
    case prompt
    /// To the field of a form that is being written.
    case form
    /// To a list in an overlay.
    case choice
    /// To the field of a request that is being written.
    case request
    /// To the list of faults.
    case faults
    /// To the list of experiments.
    case experiments
    /// To a login that waits for the user's browser.
    case authorization
    /// To the palette of all actions.
    case palette
    /// To the passphrase of a locked screen.
    case locked
}
