// Every call of libcurl, and so every `unsafe` of it. A handle is used by its owner alone; a pointer that libcurl keeps
// for the time of a transfer is to a variable that is lent for that time.

import CLibcurl
import KeyFetcher

/// Why there is no answer.
struct TransferFailure: Error, Equatable {
  let status: FetchExitStatus
  /// One line; from libcurl with its code first (``FetchExitStatus``).
  let text: String
}

/// One transfer of libcurl (libcurl-easy(3)).
@safe struct Libcurl: ~Copyable {
  private let handle: UnsafeMutableRawPointer
  /// The first option that was refused: then nothing is transferred.
  private var refusal: TransferFailure?

  /// libcurl's version line.
  static func version() -> Result<String, TransferFailure> {
    if let failure = loadFailure() { return .failure(failure) }
    return .success(unsafe String(cString: clibcurl_version()))
  }

  init() throws(TransferFailure) {
    if let failure = Self.loadFailure() { throw failure }
    guard clibcurl_global_init() == CURLE_OK, let handle = unsafe clibcurl_new() else {
      throw TransferFailure(status: .libraryMissing, text: "libcurl does not start")
    }
    unsafe self.handle = handle
  }

  // Never freed: the process makes one transfer and ends, and curl_easy_cleanup(3) would wait for a name look-up that
  // does not answer.

  mutating func set(_ option: CURLoption, _ value: Int) {
    note(unsafe clibcurl_set_long(handle, option, value), option)
  }

  mutating func set(_ option: CURLoption, offset: Int64) {
    note(unsafe clibcurl_set_offset(handle, option, curl_off_t(offset)), option)
  }

  mutating func set(_ option: CURLoption, _ value: String) {
    note(unsafe clibcurl_set_text(handle, option, value), option)
  }

  /// Takes back a text that libcurl's build has put there.
  mutating func clear(_ option: CURLoption) {
    note(unsafe clibcurl_set_text(handle, option, nil), option)
  }

  /// The schemes that may be spoken.
  mutating func setProtocols(allowsHTTP: Bool) {
    note(unsafe clibcurl_set_protocols(handle, allowsHTTP ? 1 : 0), CURLOPT_URL)
  }

  /// Transfers: each line of the head and each piece of the body goes to `answer`.
  mutating func perform(into answer: inout Answer) throws(TransferFailure) {
    if let refusal { throw refusal }
    let handle = unsafe self.handle
    // libcurl writes at most CURL_ERROR_SIZE bytes with their zero (CURLOPT_ERRORBUFFER(3)).
    var text = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = unsafe text.withUnsafeMutableBufferPointer { text in
      unsafe withUnsafeMutablePointer(to: &answer) { answer in
        let results = unsafe [
          clibcurl_set_pointer(handle, CURLOPT_ERRORBUFFER, text.baseAddress),
          clibcurl_set_pointer(handle, CURLOPT_HEADERDATA, answer),
          clibcurl_set_receiver(handle, CURLOPT_HEADERFUNCTION, receiveLine),
          clibcurl_set_pointer(handle, CURLOPT_WRITEDATA, answer),
          clibcurl_set_receiver(handle, CURLOPT_WRITEFUNCTION, receivePiece),
        ]
        if let refused = results.first(where: { $0 != CURLE_OK }) { return refused }
        return unsafe clibcurl_perform(handle)
      }
    }
    guard code != CURLE_OK, answer.end == nil, !answer.isRefusal else { return }
    let length = text.firstIndex(of: 0) ?? text.count
    let words = text[..<length].map { UInt8(bitPattern: $0) }
    throw TransferFailure(
      code,
      words.isEmpty ? unsafe String(cString: clibcurl_text(code)) : String(decoding: words, as: UTF8.self))
  }

  private mutating func note(_ code: CURLcode, _ option: CURLoption) {
    guard code != CURLE_OK, refusal == nil else { return }
    refusal = TransferFailure(
      status: .libraryMissing,
      text: "curl \(code.rawValue): option \(option.rawValue) is not known to this libcurl")
  }

  private static func loadFailure() -> TransferFailure? {
    let status = clibcurl_load()
    if status == CLIBCURL_LOADED { return nil }
    let problem = unsafe String(cString: clibcurl_load_problem())
    let text =
      status == CLIBCURL_SYMBOL_MISSING
      ? "libcurl has no \(problem)" : problem
    return TransferFailure(
      status: .libraryMissing,
      text:
        "\(text)\nhint: apt-get install libcurl4 (Debian, Ubuntu), dnf install libcurl-minimal (Amazon Linux)"
    )
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

/// `count` bytes are there, and `context` is the answer that `perform` lends for the time of the transfer.
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
    status =
      switch code {
      case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .nameResolution
      case CURLE_COULDNT_CONNECT: .connect
      case CURLE_OPERATION_TIMEDOUT: .timeout
      case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER,
        CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
        CURLE_SSL_PINNEDPUBKEYNOTMATCH:
        .tls
      case CURLE_FILESIZE_EXCEEDED: .tooLarge
      case CURLE_FAILED_INIT, CURLE_NOT_BUILT_IN, CURLE_UNKNOWN_OPTION,
        CURLE_SSL_ENGINE_NOTFOUND, CURLE_SSL_ENGINE_INITFAILED:
        .libraryMissing
      default: .transfer
      }
    self.text = "curl \(code.rawValue): \(text)"
  }
}
