// Every call of libcurl, and so every `unsafe` of it. A handle is used by its owner alone; a pointer that libcurl keeps
// for the time of a transfer is to a variable that is lent for that time.

import CLibcurl
import DynamoDB

/// Why there is no answer.
struct TransferFailure: Error, Equatable {
  let outcome: CallOutcomeCode
  /// One line; from libcurl with its code first.
  let text: String

  init(_ outcome: CallOutcomeCode, _ text: String) {
    self.outcome = outcome
    self.text = text
  }

  /// What the caller reads of it.
  var frame: [UInt8] {
    CallFrame.answer(outcome, body: Array(text.utf8.prefix(CallLimit.diagnosisBytes)))
  }
}

/// A handle of libcurl (libcurl-easy(3)), for one transfer after the other.
@safe final class Libcurl {
  private let handle: UnsafeMutableRawPointer
  /// The first option that was refused: then nothing is transferred.
  private(set) var refusal: TransferFailure?

  /// libcurl's version line.
  static func version() -> Result<String, TransferFailure> {
    if let failure = loadFailure() { return .failure(failure) }
    return .success(unsafe String(cString: clibcurl_version()))
  }

  init() throws(TransferFailure) {
    if let failure = Self.loadFailure() { throw failure }
    guard clibcurl_global_init() == CURLE_OK, let handle = unsafe clibcurl_new() else {
      throw TransferFailure(.libraryMissing, "libcurl does not start")
    }
    unsafe self.handle = handle
  }

  // Never freed: it lasts as long as the process, and curl_easy_cleanup(3) would wait for a name look-up that does not
  // answer.

  func set(_ option: CURLoption, _ value: Int) {
    note(unsafe clibcurl_set_long(handle, option, value), option)
  }

  func set(_ option: CURLoption, offset: Int64) {
    note(unsafe clibcurl_set_offset(handle, option, curl_off_t(offset)), option)
  }

  func set(_ option: CURLoption, _ value: String) {
    note(unsafe clibcurl_set_text(handle, option, value), option)
  }

  /// Takes back a text that libcurl's build has put there.
  func clear(_ option: CURLoption) {
    note(unsafe clibcurl_set_text(handle, option, nil), option)
  }

  /// The schemes that may be spoken.
  func setProtocols(allowsHTTP: Bool) {
    note(unsafe clibcurl_set_protocols(handle, allowsHTTP ? 1 : 0), CURLOPT_URL)
  }

  /// Posts a body: each line of the head and each piece of the answer's body goes to `answer`.
  func post(_ body: [UInt8], headers: [String], into answer: inout Answer) throws(TransferFailure) {
    if let refusal { throw refusal }
    var list: UnsafeMutablePointer<curl_slist>?
    for header in headers {
      unsafe list = clibcurl_append(list, header)
      guard unsafe list != nil else { throw TransferFailure(.transfer, "no memory") }
    }
    defer {
      _ = unsafe clibcurl_set_headers(handle, nil)
      unsafe clibcurl_free_list(list)
    }
    // libcurl writes at most CURL_ERROR_SIZE bytes with their zero (CURLOPT_ERRORBUFFER(3)).
    var text = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let (handle, headerList) = unsafe (self.handle, list)
    // An empty array has no address, without which libcurl would read a body from standard input.
    let content = body.isEmpty ? [0] : body
    let code = unsafe text.withUnsafeMutableBufferPointer { text in
      unsafe withUnsafeMutablePointer(to: &answer) { answer in
        unsafe content.withUnsafeBytes { content in
          let results = unsafe [
            clibcurl_set_long(handle, CURLOPT_POST, 1),
            clibcurl_set_pointer(
              handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: content.baseAddress)),
            clibcurl_set_offset(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count)),
            clibcurl_set_headers(handle, headerList),
            clibcurl_set_pointer(handle, CURLOPT_ERRORBUFFER, text.baseAddress),
            clibcurl_set_pointer(handle, CURLOPT_HEADERDATA, answer),
            clibcurl_set_receiver(handle, CURLOPT_HEADERFUNCTION, receiveLine),
            clibcurl_set_pointer(handle, CURLOPT_WRITEDATA, answer),
            clibcurl_set_receiver(handle, CURLOPT_WRITEFUNCTION, receivePiece),
          ]
          if let refused = results.first(where: { $0 != CURLE_OK }) { return refused }
          let code = unsafe clibcurl_perform(handle)
          // What was lent goes back.
          _ = unsafe clibcurl_set_pointer(handle, CURLOPT_POSTFIELDS, nil)
          _ = unsafe clibcurl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil)
          return code
        }
      }
    }
    guard code != CURLE_OK else { return }
    let length = text.firstIndex(of: 0) ?? text.count
    let words = text[..<length].map { UInt8(bitPattern: $0) }
    throw TransferFailure(
      code,
      words.isEmpty ? unsafe String(cString: clibcurl_text(code)) : String(decoding: words, as: UTF8.self))
  }

  private func note(_ code: CURLcode, _ option: CURLoption) {
    guard code != CURLE_OK, refusal == nil else { return }
    refusal = TransferFailure(
      .libraryMissing, "curl \(code.rawValue): option \(option.rawValue) is not known to this libcurl")
  }

  private static func loadFailure() -> TransferFailure? {
    let status = clibcurl_load()
    if status == CLIBCURL_LOADED { return nil }
    let problem = unsafe String(cString: clibcurl_load_problem())
    let text = status == CLIBCURL_SYMBOL_MISSING ? "libcurl has no \(problem)" : problem
    return TransferFailure(
      .libraryMissing,
      "\(text); install libcurl4 (Debian, Ubuntu) or libcurl-minimal (Amazon Linux)")
  }
}

/// CURLOPT_HEADERFUNCTION(3): one whole line.
private func receiveLine(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, count, context) { $0.take(line: $1) }
}

/// CURLOPT_WRITEFUNCTION(3): the next bytes of the body.
private func receivePiece(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int, _ context: UnsafeMutableRawPointer?
) -> Int {
  unsafe receive(bytes, count, context) { $0.take(piece: $1) }
}

/// `count` bytes are there, and `context` is the answer that `post` lends for the time of the transfer.
private func receive(
  _ bytes: UnsafeMutablePointer<CChar>?, _ count: Int, _ context: UnsafeMutableRawPointer?,
  _ take: (inout Answer, [UInt8]) -> Bool
) -> Int {
  guard count > 0 else { return 0 }
  guard let bytes = unsafe bytes, let context = unsafe context else { return 0 }
  let copy = unsafe [UInt8](UnsafeRawBufferPointer(start: bytes, count: count))
  return unsafe take(&context.assumingMemoryBound(to: Answer.self).pointee, copy) ? count : 0
}

extension TransferFailure {
  /// What libcurl's code means for a caller (libcurl-errors(3)).
  init(_ code: CURLcode, _ text: String) {
    outcome =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
      case CURLE_COULDNT_CONNECT: .connect
      case CURLE_OPERATION_TIMEDOUT: .timeout
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .tls
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION, CURLE_SSL_ENGINE_NOTFOUND,
        CURLE_SSL_ENGINE_INITFAILED:
        .libraryMissing
      default: .transfer
      }
    self.text = "curl \(code.rawValue): \(text)"
  }
}
