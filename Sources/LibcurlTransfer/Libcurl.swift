// This file contains every call of libcurl, and therefore every `unsafe`. Only its owner uses a handle. A pointer that
// libcurl stores during a transfer refers to a variable that outlives the transfer.

package import CLibcurl

/// Receives an answer in parts.
package protocol AnswerReceiver {
  /// Receives one complete line of a head, with its line end; false ends the transfer.
  mutating func take(line: [UInt8]) -> Bool
  /// Receives the next piece of the body, never empty; false ends the transfer.
  mutating func take(piece: [UInt8]) -> Bool
}

/// A handle of libcurl (libcurl-easy(3)) for consecutive transfers.
@safe package final class Libcurl {
  private let handle: UnsafeMutableRawPointer
  /// The error of the first refused option; if set, no transfer starts.
  package private(set) var refusal: TransferFailure?

  /// The version line of libcurl.
  package static func version() -> Result<String, TransferFailure> {
    if let failure = loadFailure() { return .failure(failure) }
    return .success(unsafe String(cString: clibcurl_version()))
  }

  private let isFreed: Bool

  /// - Parameter isFreed: whether the handle ends with this object, and waits for a pending name resolution. Otherwise
  ///   it ends with the process.
  /// - Throws: if libcurl cannot be loaded or initialized.
  package init(isFreed: Bool = false) throws(TransferFailure) {
    if let failure = Self.loadFailure() { throw failure }
    guard clibcurl_global_init() == CURLE_OK, let handle = unsafe clibcurl_new() else {
      throw TransferFailure(.libraryUnusable, "libcurl cannot be initialized")
    }
    unsafe self.handle = handle
    self.isFreed = isFreed
  }

  deinit {
    if isFreed { unsafe clibcurl_free(handle) }
  }

  /// Sets an option of type `long`. curl_easy_setopt(3) documents the type of each option.
  package func set(_ option: CURLoption, _ value: Int) {
    note(unsafe clibcurl_set_long(handle, option, value), option)
  }

  /// Sets an option of type `curl_off_t`.
  package func set(_ option: CURLoption, offset: Int64) {
    note(unsafe clibcurl_set_offset(handle, option, curl_off_t(offset)), option)
  }

  /// Sets a text option; libcurl copies the text.
  package func set(_ option: CURLoption, _ value: String) {
    note(unsafe clibcurl_set_text(handle, option, value), option)
  }

  /// Removes the default text of libcurl's build.
  package func clear(_ option: CURLoption) {
    note(unsafe clibcurl_set_text(handle, option, nil), option)
  }

  func setProtocols(allowsHTTP: Bool) {
    note(unsafe clibcurl_set_protocols(handle, allowsHTTP ? 1 : 0), CURLOPT_URL)
  }

  /// Makes the transfer described by the options. `receiver` gets each line of the head and each piece of the body.
  ///
  /// - Throws: also if the receiver ended the transfer (CURLE_WRITE_ERROR).
  package func perform(into receiver: inout some AnswerReceiver) throws(TransferFailure) {
    if let refusal { throw refusal }
    try outcome(of: transfer(into: &receiver))
  }

  /// Makes the transfer with these header lines instead of those of the options.
  ///
  /// - Parameter body: is posted; nil for a request without a body.
  /// - Throws: also if the receiver ended the transfer (CURLE_WRITE_ERROR).
  package func send(
    _ body: [UInt8]?, headers: [String], into receiver: inout some AnswerReceiver
  ) throws(TransferFailure) {
    if let refusal { throw refusal }
    var list: UnsafeMutablePointer<curl_slist>?
    for header in headers {
      unsafe list = clibcurl_append(list, header)
      guard unsafe list != nil else { throw TransferFailure(.transfer, "no memory") }
    }
    // Removes the pointers from the handle.
    defer {
      _ = unsafe clibcurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
      _ = unsafe clibcurl_set_headers(handle, nil)
      unsafe clibcurl_free_list(list)
    }
    let (handle, headerList) = unsafe (self.handle, list)
    // An empty array has no address, and without an address libcurl would read the body from standard input.
    let content = body.flatMap { $0.isEmpty ? nil : $0 } ?? [0]
    let ending = unsafe content.withUnsafeBytes { content in
      var results = unsafe [clibcurl_set_headers(handle, headerList)]
      if let body {
        unsafe results += [
          clibcurl_set_long(handle, CURLOPT_POST, 1),
          clibcurl_set_pointer(
            handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: content.baseAddress)),
          clibcurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)),
        ]
      }
      if let refused = results.first(where: { $0 != CURLE_OK }) { return Ending(code: refused, words: []) }
      return transfer(into: &receiver)
    }
    try outcome(of: ending)
  }

  /// The result of libcurl: its code and its error text.
  private struct Ending {
    let code: CURLcode
    let words: ArraySlice<UInt8>
  }

  /// Wraps the receiver in two closures for the transfer, because C cannot call generic functions.
  private func transfer(into receiver: inout some AnswerReceiver) -> Ending {
    unsafe withUnsafeMutablePointer(to: &receiver) { receiver in
      transfer(
        into: Receivers(
          line: { unsafe receiver.pointee.take(line: $0) },
          piece: { unsafe receiver.pointee.take(piece: $0) }))
    }
  }

  private func transfer(into receivers: Receivers) -> Ending {
    var receivers = receivers
    // libcurl writes at most CURL_ERROR_SIZE bytes with their zero (CURLOPT_ERRORBUFFER(3)).
    var text = [UInt8](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let handle = unsafe self.handle
    let code = unsafe text.withUnsafeMutableBufferPointer { text in
      unsafe withUnsafeMutablePointer(to: &receivers) { receivers in
        let results = unsafe [
          clibcurl_set_pointer(handle, CURLOPT_ERRORBUFFER, text.baseAddress),
          clibcurl_set_pointer(handle, CURLOPT_HEADERDATA, receivers),
          clibcurl_set_receiver(handle, CURLOPT_HEADERFUNCTION, receiveLine),
          clibcurl_set_pointer(handle, CURLOPT_WRITEDATA, receivers),
          clibcurl_set_receiver(handle, CURLOPT_WRITEFUNCTION, receivePiece),
        ]
        // Removes the pointers from the handle.
        defer { _ = unsafe clibcurl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
        return unsafe results.first { $0 != CURLE_OK } ?? clibcurl_perform(handle)
      }
    }
    return Ending(code: code, words: text.prefix { $0 != 0 })
  }

  private func outcome(of ending: Ending) throws(TransferFailure) {
    guard ending.code != CURLE_OK else { return }
    throw TransferFailure(
      ending.code,
      ending.words.isEmpty
        ? unsafe String(cString: clibcurl_text(ending.code)) : String(decoding: ending.words, as: UTF8.self))
  }

  private func note(_ code: CURLcode, _ option: CURLoption) {
    guard code != CURLE_OK, refusal == nil else { return }
    refusal = TransferFailure(
      .libraryUnusable, "curl \(code.rawValue): this libcurl does not support option \(option.rawValue)")
  }

  private static func loadFailure() -> TransferFailure? {
    let status = clibcurl_load()
    if status == CLIBCURL_LOADED { return nil }
    let problem = unsafe String(cString: clibcurl_load_problem())
    return TransferFailure(
      .libraryNotLoaded, status == CLIBCURL_SYMBOL_MISSING ? "libcurl has no function \(problem)" : problem)
  }
}

/// The functions of a receiver, for the callbacks.
private struct Receivers {
  let line: ([UInt8]) -> Bool
  let piece: ([UInt8]) -> Bool
}

/// CURLOPT_HEADERFUNCTION(3): receives one complete line.
private func receiveLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, count, context) { $0.line($1) }
}

/// CURLOPT_WRITEFUNCTION(3): receives the next bytes of the body.
private func receivePiece(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, count, context) { $0.piece($1) }
}

/// `bytes` has `count` bytes, and `context` points to the `Receivers`, which outlive the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
  _ take: (Receivers, [UInt8]) -> Bool
) -> Int {
  guard count > 0 else { return 0 }
  guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
  let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  return unsafe take(context.assumingMemoryBound(to: Receivers.self).pointee, copy) ? count : 0
}
