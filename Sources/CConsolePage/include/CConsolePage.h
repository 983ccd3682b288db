// The files of the console as constants of the program. As array literals in Swift, they take the compiler half a minute.

#ifndef AUTHORIZER_CCONSOLEPAGE_H
#define AUTHORIZER_CCONSOLEPAGE_H

#include <stddef.h>

enum console_name {
  console_document,
  console_style,
  /// The parts of the script in the order in which they are loaded: each uses only parts before it.
  console_script,
};

/// The bytes of a file, which live as long as the program.
struct console_file {
  const void *_Nonnull bytes;
  /// The number of bytes.
  size_t count;
};

struct console_file console_file(enum console_name name);

#endif
