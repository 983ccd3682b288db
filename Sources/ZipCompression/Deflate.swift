internal import CZlib

// This file contains every use of zlib. Two arguments show that the unsafe ones are safe:
//
// (1) Ownership. A call of `czlib_…` frees zlib's own memory before it returns, and keeps no pointer.
// (2) Buffers. Each pointer is that of an array, slice or buffer that is valid during the call, and is passed with a
//     count of at most its own bytes. zlib reads or writes no more.

/// DEFLATE (RFC 1951) and the checksum of ZIP files, by zlib.
package enum Deflate {
  /// Returns the bytes as one DEFLATE stream; `nil` if it would not be smaller than they are.
  ///
  /// The same bytes give the same stream, with the same version of zlib.
  package static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    guard let count = UInt32(exactly: bytes.count), count > 1 else { return nil }
    let packed = unsafe [UInt8](unsafeUninitializedCapacity: bytes.count - 1) { target, written in
      // (1), (2): `written` is what zlib wrote.
      written = Int(unsafe czlib_pack(bytes, count, target.baseAddress, count - 1))
    }
    return packed.isEmpty ? nil : packed
  }

  /// Returns the data of a DEFLATE stream whose unpacked size is exactly `size` bytes. More are never written.
  package static func unpack(_ bytes: ArraySlice<UInt8>, size: Int) throws(DeflateError) -> [UInt8] {
    // With room for one more byte, a longer stream differs from one that ends too early.
    guard var left = UInt32(exactly: bytes.count), (0..<Int(UInt32.max)).contains(size) else {
      throw .wrongSize
    }
    var free = UInt32(size) + 1
    var result = Z_DATA_ERROR
    let data = unsafe [UInt8](unsafeUninitializedCapacity: size + 1) { target, written in
      // (1), (2): `free` becomes what zlib did not write.
      result = unsafe bytes.withUnsafeBufferPointer { source in
        unsafe czlib_unpack(source.baseAddress, &left, target.baseAddress, &free)
      }
      written = size + 1 - Int(free)
    }
    switch result {
    case Z_STREAM_END: break
    case Z_BUF_ERROR: throw free == 0 ? .wrongSize : .endsTooEarly
    default: throw .damaged
    }
    guard data.count == size else { throw .wrongSize }
    guard left == 0 else { throw .trailingBytes }
    return data
  }

  /// Returns the CRC-32 of ZIP files (APPNOTE section 4.4.7).
  package static func crc32(_ bytes: [UInt8]) -> UInt32 {
    // (2)
    UInt32(truncatingIfNeeded: unsafe crc32_z(0, bytes, bytes.count))
  }
}

/// Why data cannot be unpacked.
package enum DeflateError: Error, Equatable {
  case damaged, endsTooEarly, wrongSize, trailingBytes
}
