// The C part of LibcurlTransfer: the interface to libcurl and to the arguments of the process.
//
// libcurl is loaded at run time instead of linked, so a machine without it gets a readable error. Constants and types
// are those of <curl/curl.h>; the functions below wrap the used functions of libcurl. Call clibcurl_load()
// successfully before any other function of libcurl.

#ifndef AUTHORIZER_CLIBCURL_H
#define AUTHORIZER_CLIBCURL_H

#include <curl/curl.h>
#include <stddef.h>

/// The number of arguments of this process, including its name. Embedded Swift has no CommandLine.
int clibcurl_argument_count(void);

/// The argument at this index; NULL beyond the last one.
const char *clibcurl_argument(int index);

/// The result of loading libcurl.
typedef enum {
  CLIBCURL_LOADED = 0,
  /// dlopen(3) found no loadable libcurl.
  CLIBCURL_LIBRARY_MISSING = 1,
  /// The loaded library lacks a required function.
  CLIBCURL_SYMBOL_MISSING = 2,
} clibcurl_load_status;

/// Loads libcurl once; later calls return the same result. Thread-safe.
clibcurl_load_status clibcurl_load(void);

/// The dlerror(3) of a failed clibcurl_load(), or the name of the missing function. Never NULL.
const char *clibcurl_load_problem(void);

/// The version line of libcurl, curl_version(3).
const char *clibcurl_version(void);

/// curl_global_init(3) at the first call; later calls return the same result. Thread-safe.
CURLcode clibcurl_global_init(void);

/// curl_easy_init(3).
CURL *clibcurl_new(void);

/// curl_easy_cleanup(3).
void clibcurl_free(CURL *handle);

/// curl_easy_setopt(3), which is variadic, for each type of option.
CURLcode clibcurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode clibcurl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
/// libcurl copies the text, except for CURLOPT_POSTFIELDS.
CURLcode clibcurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode clibcurl_set_pointer(CURL *handle, CURLoption option, void *value);

/// CURLOPT_HTTPHEADER(3). The list must exist until it is replaced.
CURLcode clibcurl_set_headers(CURL *handle, struct curl_slist *headers);

/// curl_slist_append(3), which copies the text. If out of memory, frees the list and returns NULL.
struct curl_slist *clibcurl_append(struct curl_slist *list, const char *text);

/// curl_slist_free_all(3).
void clibcurl_free_list(struct curl_slist *list);

/// A callback for lines of the head or pieces of the body. It returns `count`, or another value to end the transfer
/// with CURLE_WRITE_ERROR. `size` is always 1 (CURLOPT_WRITEFUNCTION(3)).
typedef size_t (*clibcurl_receiver)(char *bytes, size_t size, size_t count, void *context);
CURLcode clibcurl_set_receiver(CURL *handle, CURLoption option, clibcurl_receiver receiver);

/// Sets the allowed schemes by CURLOPT_PROTOCOLS_STR(3), or by CURLOPT_PROTOCOLS(3) before libcurl 7.85.
CURLcode clibcurl_set_protocols(CURL *handle, int allows_http);

/// curl_easy_perform(3).
CURLcode clibcurl_perform(CURL *handle);

/// curl_easy_strerror(3).
const char *clibcurl_text(CURLcode code);

#endif
