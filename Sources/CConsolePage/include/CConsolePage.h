// The files of the console as constants of the program. As array literals in Swift, they take the compiler half a minute.

#ifndef AUTHORIZER_CCONSOLEPAGE_H
#define AUTHORIZER_CCONSOLEPAGE_H

#include <stddef.h>

/// The bytes of a file, which live as long as the program.
struct console_file {
  const void *_Nonnull bytes;
  /// The number of bytes.
  size_t count;
};

struct console_file console_document(void);
struct console_file console_style(void);
/// The parts of the script in the order in which they are loaded: each uses only parts before it.
struct console_file console_script(void);

#endif
