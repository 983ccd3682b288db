// zlib's checksum (https://zlib.net/manual.html), and one call for each direction of DEFLATE: deflateInit2 and
// inflateInit2 are macros, which Swift does not import, and a z_stream must not move while zlib uses it.

#ifndef AUTHORIZER_CZLIB_SHIM_H
#define AUTHORIZER_CZLIB_SHIM_H

// zlib declares its input as const then.
#define ZLIB_CONST
#include <zlib.h>

/// The largest window, 32 KiB, and no header before the stream.
#define CZLIB_RAW (-MAX_WBITS)

/// The level, up to 9, and the memory, up to 9. Level 9 makes a function 0.3 % smaller in twice the time. More memory
/// makes it 0.2 % larger: blocks are longer, and their codes fit less well.
enum { CZLIB_LEVEL = 7, CZLIB_MEMORY = 8 };

/// Packs bytes as one DEFLATE stream. Returns the stream's length, or 0 if it does not fit or there is no memory.
static inline unsigned czlib_pack(const void *source, unsigned count, void *target, unsigned capacity) {
  z_stream stream = {0};
  stream.next_in = source;
  stream.avail_in = count;
  stream.next_out = target;
  stream.avail_out = capacity;
  if (deflateInit2(&stream, CZLIB_LEVEL, Z_DEFLATED, CZLIB_RAW, CZLIB_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK) return 0;
  int result = deflate(&stream, Z_FINISH);
  deflateEnd(&stream);
  return result == Z_STREAM_END ? capacity - stream.avail_out : 0;
}

/// Unpacks one DEFLATE stream. Returns the result of inflate: Z_STREAM_END at the end of the stream, Z_BUF_ERROR if one
/// of the two buffers ends before. Then the counts are those of the bytes that are left.
static inline int czlib_unpack(const void *source, unsigned *count, void *target, unsigned *capacity) {
  z_stream stream = {0};
  stream.next_in = source;
  stream.avail_in = *count;
  stream.next_out = target;
  stream.avail_out = *capacity;
  int result = inflateInit2(&stream, CZLIB_RAW);
  if (result != Z_OK) return result;
  result = inflate(&stream, Z_FINISH);
  inflateEnd(&stream);
  *count = stream.avail_in;
  *capacity = stream.avail_out;
  return result;
}

#endif
