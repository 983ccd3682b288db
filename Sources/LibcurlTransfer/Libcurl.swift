// Every call of libcurl, and so every `unsafe` of it. A handle is used by its owner alone; a pointer that libcurl keeps
// for the time of a transfer is to a variable that is lent for that time.

package import CLibcurl

/// Takes an answer as it comes.
package protocol AnswerReceiver {
  /// Takes one whole line of a head, its end with it; false where no more is wanted.
  mutating func take(line: [UInt8]) -> Bool
  /// Takes the next piece of the body, never an empty one; false where no more is wanted.
  mutating func take(piece: [UInt8]) -> Bool
}

/// A handle of libcurl (libcurl-easy(3)), for one transfer after the other.
@safe package final class Libcurl {
  private let handle: UnsafeMutableRawPointer
  /// The first option that was refused: then nothing is transferred.
  package private(set) var refusal: TransferFailure?

  /// libcurl's version line.
  package static func version() -> Result<String, TransferFailure> {
    if let failure = loadFailure() { return .failure(failure) }
    return .success(unsafe String(cString: clibcurl_version()))
  }

  /// - Throws: where libcurl cannot be loaded, or does not start.
  package init() throws(TransferFailure) {
    if let failure = Self.loadFailure() { throw failure }
    guard clibcurl_global_init() == CURLE_OK, let handle = unsafe clibcurl_new() else {
      throw TransferFailure(.libraryUnusable, "libcurl does not start")
    }
    unsafe self.handle = handle
  }

  // Never freed: it lasts as long as the process, and curl_easy_cleanup(3) would wait for a name look-up that does not
  // answer.

  /// An option that takes a `long`. Which options take which type: curl_easy_setopt(3).
  package func set(_ option: CURLoption, _ value: Int) {
    note(unsafe clibcurl_set_long(handle, option, value), option)
  }

  /// An option that takes a `curl_off_t`.
  package func set(_ option: CURLoption, offset: Int64) {
    note(unsafe clibcurl_set_offset(handle, option, curl_off_t(offset)), option)
  }

  /// An option that takes a text, which libcurl copies.
  package func set(_ option: CURLoption, _ value: String) {
    note(unsafe clibcurl_set_text(handle, option, value), option)
  }

  /// Takes back a text that libcurl's build has put there.
  package func clear(_ option: CURLoption) {
    note(unsafe clibcurl_set_text(handle, option, nil), option)
  }

  /// The schemes that may be spoken.
  func setProtocols(allowsHTTP: Bool) {
    note(unsafe clibcurl_set_protocols(handle, allowsHTTP ? 1 : 0), CURLOPT_URL)
  }

  /// Transfers what the options say: each line of the head and each piece of the body goes to `receiver`.
  ///
  /// - Throws: also where the receiver wanted no more (CURLE_WRITE_ERROR).
  package func perform(into receiver: inout some AnswerReceiver) throws(TransferFailure) {
    if let refusal { throw refusal }
    try outcome(of: transfer(into: &receiver))
  }

  /// Posts a body, with the lines of the head that are given, in place of what the options say.
  ///
  /// - Throws: also where the receiver wanted no more (CURLE_WRITE_ERROR).
  package func post(
    _ body: [UInt8], headers: [String], into receiver: inout some AnswerReceiver
  ) throws(TransferFailure) {
    if let refusal { throw refusal }
    var list: UnsafeMutablePointer<curl_slist>?
    for header in headers {
      unsafe list = clibcurl_append(list, header)
      guard unsafe list != nil else { throw TransferFailure(.transfer, "no memory") }
    }
    // What was lent goes back.
    defer {
      _ = unsafe clibcurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
      _ = unsafe clibcurl_set_headers(handle, nil)
      unsafe clibcurl_free_list(list)
    }
    let (handle, headerList) = unsafe (self.handle, list)
    // An empty array has no address, without which libcurl would read a body from standard input.
    let content = body.isEmpty ? [0] : body
    let ending = unsafe content.withUnsafeBytes { content in
      let results = unsafe [
        clibcurl_set_long(handle, CURLOPT_POST, 1),
        clibcurl_set_pointer(
          handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: content.baseAddress)),
        clibcurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)),
        clibcurl_set_headers(handle, headerList),
      ]
      if let refused = results.first(where: { $0 != CURLE_OK }) { return Ending(code: refused, words: []) }
      return transfer(into: &receiver)
    }
    try outcome(of: ending)
  }

  /// How libcurl came to an end: its code, and what it wrote of an error.
  private struct Ending {
    let code: CURLcode
    let words: [UInt8]
  }

  /// The receiver is lent to two functions for the time of the transfer, as C can call nothing that is generic.
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
    var text = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
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
        // What was lent goes back.
        defer { _ = unsafe clibcurl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
        return unsafe results.first { $0 != CURLE_OK } ?? clibcurl_perform(handle)
      }
    }
    return Ending(code: code, words: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) })
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
      .libraryUnusable, "curl \(code.rawValue): option \(option.rawValue) is not known to this libcurl")
  }

  private static func loadFailure() -> TransferFailure? {
    let status = clibcurl_load()
    if status == CLIBCURL_LOADED { return nil }
    let problem = unsafe String(cString: clibcurl_load_problem())
    return TransferFailure(
      .libraryNotLoaded, status == CLIBCURL_SYMBOL_MISSING ? "libcurl has no \(problem)" : problem)
  }
}

/// What a receiver does, as the callbacks find them.
private struct Receivers {
  let line: ([UInt8]) -> Bool
  let piece: ([UInt8]) -> Bool
}

/// CURLOPT_HEADERFUNCTION(3): one whole line.
private func receiveLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, count, context) { $0.line($1) }
}

/// CURLOPT_WRITEFUNCTION(3): the next bytes of the body.
private func receivePiece(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, count, context) { $0.piece($1) }
}

/// `count` bytes are there, and `context` is the `Receivers` that are lent for the time of the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
  _ take: (Receivers, [UInt8]) -> Bool
) -> Int {
  guard count > 0 else { return 0 }
  guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
  let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  return unsafe take(context.assumingMemoryBound(to: Receivers.self).pointee, copy) ? count : 0
}
