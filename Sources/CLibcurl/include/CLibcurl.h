// The C half of LibcurlTransfer: the door to libcurl, and to the arguments of the process.
//
// libcurl is loaded when it is asked for and never linked, so a machine without it gets an error that can be read.
// Constants and types are those of <curl/curl.h>; the functions below stand for the few of libcurl that are used. Each
// needs clibcurl_load() to have succeeded.

#ifndef AUTHORIZER_CLIBCURL_H
#define AUTHORIZER_CLIBCURL_H

#include <curl/curl.h>
#include <stddef.h>

/// How many arguments this process was started with, its name among them. Embedded Swift has no CommandLine.
int clibcurl_argument_count(void);

/// The argument at this index; NULL beyond the last one.
const char *clibcurl_argument(int index);

/// What became of loading libcurl.
typedef enum {
  CLIBCURL_LOADED = 0,
  /// dlopen(3) found no libcurl that it can load.
  CLIBCURL_LIBRARY_MISSING = 1,
  /// The library that was loaded lacks a function of libcurl.
  CLIBCURL_SYMBOL_MISSING = 2,
} clibcurl_load_status;

/// Loads libcurl and initializes it, once; later calls give the same answer. Not to be called from several threads.
clibcurl_load_status clibcurl_load(void);

/// What dlerror(3) said of a clibcurl_load() that failed, or the name of the function that is missing. Never NULL.
const char *clibcurl_load_problem(void);

/// libcurl's own version line: curl_version(3).
const char *clibcurl_version(void);

/// curl_global_init(3).
CURLcode clibcurl_global_init(void);

/// curl_easy_init(3).
CURL *clibcurl_new(void);

/// curl_easy_cleanup(3).
void clibcurl_free(CURL *handle);

/// curl_easy_setopt(3), which is variadic, by the type that the option takes.
CURLcode clibcurl_set_long(CURL *handle, CURLoption option, long value);
CURLcode clibcurl_set_offset(CURL *handle, CURLoption option, curl_off_t value);
/// The text is copied by libcurl, but for CURLOPT_POSTFIELDS.
CURLcode clibcurl_set_text(CURL *handle, CURLoption option, const char *value);
CURLcode clibcurl_set_pointer(CURL *handle, CURLoption option, void *value);

/// CURLOPT_HTTPHEADER(3). The list has to live until it is replaced.
CURLcode clibcurl_set_headers(CURL *handle, struct curl_slist *headers);

/// curl_slist_append(3), which copies the text; NULL without memory, and then the list is freed.
struct curl_slist *clibcurl_append(struct curl_slist *list, const char *text);

/// curl_slist_free_all(3).
void clibcurl_free_list(struct curl_slist *list);

/// What a callback for the lines of the head and for the pieces of the body looks like: it returns `count`, or anything
/// else to end the transfer with CURLE_WRITE_ERROR. `size` is always 1 (CURLOPT_WRITEFUNCTION(3)).
typedef size_t (*clibcurl_receiver)(char *bytes, size_t size, size_t count, void *context);
CURLcode clibcurl_set_receiver(CURL *handle, CURLoption option, clibcurl_receiver receiver);

/// The schemes that the transfer may speak, as CURLOPT_PROTOCOLS_STR(3) takes them; before libcurl 7.85 the same by
/// CURLOPT_PROTOCOLS(3).
CURLcode clibcurl_set_protocols(CURL *handle, int allows_http);

/// curl_easy_perform(3).
CURLcode clibcurl_perform(CURL *handle);

/// curl_easy_strerror(3).
const char *clibcurl_text(CURLcode code);

#endif
