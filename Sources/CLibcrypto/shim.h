// The door to OpenSSL 3's libcrypto. Each function below exists because Swift cannot import the macro it wraps.

#ifndef AUTHORIZER_CLIBCRYPTO_SHIM_H
#define AUTHORIZER_CLIBCRYPTO_SHIM_H

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/encoder.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/param_build.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or later is needed"
#endif

/// EVP_PKEY_PUBLIC_KEY is a compound macro expression (evp.h).
static inline int clibcrypto_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

/// EVP_PKEY_KEYPAIR is a compound macro expression (evp.h).
static inline int clibcrypto_key_pair_selection(void) { return EVP_PKEY_KEYPAIR; }

/// OPENSSL_INIT_NO_LOAD_CONFIG is a macro with a cast (crypto.h).
static inline uint64_t clibcrypto_init_without_configuration(void) { return OPENSSL_INIT_NO_LOAD_CONFIG; }

/// OPENSSL_free is a macro that records the caller's file and line (crypto.h).
static inline void clibcrypto_free(void *pointer) { OPENSSL_free(pointer); }

#endif
