#include "CLibcurl.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

// curl.h defines a macro that checks the types of direct calls, but here the call uses a function pointer.
#undef curl_easy_setopt

#ifdef __APPLE__
static const char library_name[] = "libcurl.4.dylib";
#else
// The name with the ABI number: libcurl.so without it exists only in the development package.
static const char library_name[] = "libcurl.so.4";
#endif

static struct {
  CURLcode (*global_init)(long);
  char *(*version)(void);
  CURL *(*easy_init)(void);
  void (*easy_cleanup)(CURL *);
  CURLcode (*easy_setopt)(CURL *, CURLoption, ...);
  CURLcode (*easy_perform)(CURL *);
  const char *(*easy_strerror)(CURLcode);
  struct curl_slist *(*slist_append)(struct curl_slist *, const char *);
  void (*slist_free_all)(struct curl_slist *);
} libcurl;

static char problem[256];

static void note(const char *text) {
  strncpy(problem, text != NULL ? text : "", sizeof problem - 1);
}

// memcpy sets the pointer: ISO C has no conversion from dlsym's void pointer to a function pointer.
static int find(void *library, const char *name, void *pointer, size_t size) {
  void *symbol = dlsym(library, name);
  if (symbol == NULL) {
    note(name);
    return 0;
  }
  memcpy(pointer, &symbol, size);
  return 1;
}

#define FIND(library, member) find(library, "curl_" #member, &libcurl.member, sizeof libcurl.member)

static clibcurl_load_status load(void) {
  void *library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    note(dlerror());
    return CLIBCURL_LIBRARY_MISSING;
  }
  int is_whole = FIND(library, global_init) && FIND(library, version) && FIND(library, easy_init)
      && FIND(library, easy_cleanup) && FIND(library, easy_setopt) && FIND(library, easy_perform)
      && FIND(library, easy_strerror) && FIND(library, slist_append) && FIND(library, slist_free_all);
  return is_whole ? CLIBCURL_LOADED : CLIBCURL_SYMBOL_MISSING;
}

static clibcurl_load_status status;
static CURLcode initialization;

static void load_once(void) { status = load(); }

// Before libcurl 7.84, no two threads may call it at once.
static void initialize_once(void) { initialization = libcurl.global_init(CURL_GLOBAL_DEFAULT); }

clibcurl_load_status clibcurl_load(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, load_once);
  return status;
}

const char *clibcurl_load_problem(void) { return problem; }

const char *clibcurl_version(void) { return libcurl.version(); }

CURLcode clibcurl_global_init(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, initialize_once);
  return initialization;
}

CURL *clibcurl_new(void) { return libcurl.easy_init(); }

void clibcurl_free(CURL *handle) { libcurl.easy_cleanup(handle); }

CURLcode clibcurl_set_long(CURL *handle, CURLoption option, long value) {
  return libcurl.easy_setopt(handle, option, value);
}

CURLcode clibcurl_set_offset(CURL *handle, CURLoption option, curl_off_t value) {
  return libcurl.easy_setopt(handle, option, value);
}

CURLcode clibcurl_set_text(CURL *handle, CURLoption option, const char *value) {
  return libcurl.easy_setopt(handle, option, value);
}

CURLcode clibcurl_set_pointer(CURL *handle, CURLoption option, void *value) {
  return libcurl.easy_setopt(handle, option, value);
}

CURLcode clibcurl_set_headers(CURL *handle, struct curl_slist *headers) {
  return libcurl.easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

struct curl_slist *clibcurl_append(struct curl_slist *list, const char *text) {
  struct curl_slist *longer = libcurl.slist_append(list, text);
  if (longer == NULL) libcurl.slist_free_all(list);
  return longer;
}

void clibcurl_free_list(struct curl_slist *list) { libcurl.slist_free_all(list); }

CURLcode clibcurl_set_receiver(CURL *handle, CURLoption option, clibcurl_receiver receiver) {
  return libcurl.easy_setopt(handle, option, receiver);
}

CURLcode clibcurl_set_protocols(CURL *handle, int allows_http) {
  CURLcode code = CURLE_UNKNOWN_OPTION;
#if LIBCURL_VERSION_NUM >= 0x075500
  code = libcurl.easy_setopt(handle, CURLOPT_PROTOCOLS_STR, allows_http ? "http,https" : "https");
#endif
  if (code == CURLE_UNKNOWN_OPTION) {
    // Uses the number, because newer headers mark the name as deprecated. The library at run time may be older than the
    // headers, so both options are tried.
    const CURLoption protocols = (CURLoption)(CURLOPTTYPE_LONG + 181);
    code = libcurl.easy_setopt(handle, protocols, (long)(CURLPROTO_HTTPS | (allows_http ? CURLPROTO_HTTP : 0)));
  }
  return code;
}

CURLcode clibcurl_perform(CURL *handle) { return libcurl.easy_perform(handle); }

const char *clibcurl_text(CURLcode code) { return libcurl.easy_strerror(code); }
