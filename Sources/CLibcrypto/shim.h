// The interface to OpenSSL 3's libcrypto. The functions below wrap macros that Swift cannot import, and calls whose
// pointers must outlive a Swift argument.

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
#include <openssl/params.h>
#include <openssl/rand.h>
#include <openssl/rsa.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or later is needed"
#endif

/// EVP_PKEY_PUBLIC_KEY is a compound macro expression (evp.h).
static inline int clibcrypto_public_key_selection(void) { return EVP_PKEY_PUBLIC_KEY; }

/// EVP_PKEY_KEYPAIR is a compound macro expression (evp.h).
static inline int clibcrypto_key_pair_selection(void) { return EVP_PKEY_KEYPAIR; }

/// The options of OPENSSL_init_crypto(3); in C because they are macros with casts.
///
/// - No configuration file: reading it is slow, and a file of the environment must not change which tokens are
///   accepted.
/// - No table of cipher and digest names from before OpenSSL 3, and no texts of error codes: filling the table takes
///   longer than all other work of libcrypto before the first signature check. Algorithms are fetched by the
///   provider's names (OSSL_PROVIDER-default(7)), and error codes are never shown.
/// - No clean-up at exit: the system frees the memory.
static inline uint64_t clibcrypto_start_options(void) {
  return OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ADD_ALL_CIPHERS | OPENSSL_INIT_NO_ADD_ALL_DIGESTS
      | OPENSSL_INIT_NO_LOAD_CRYPTO_STRINGS | OPENSSL_INIT_NO_ATEXIT;
}

/// OPENSSL_free is a macro that records the caller's file and line (crypto.h).
static inline void clibcrypto_free(void *pointer) { OPENSSL_free(pointer); }

/// Creates an RSA public key from big-endian modulus and exponent; NULL if libcrypto refuses it. The caller frees it.
///
/// In C because OSSL_PARAM_BLD stores its pointers until OSSL_PARAM_BLD_to_param (OSSL_PARAM_BLD(3)), which is longer
/// than the lifetime of a temporary C string in Swift.
static inline EVP_PKEY *clibcrypto_rsa_public_key(
    const unsigned char *modulus, size_t modulus_count, const unsigned char *exponent, size_t exponent_count) {
  EVP_PKEY *key = NULL;
  BIGNUM *n = BN_bin2bn(modulus, (int)modulus_count, NULL);
  BIGNUM *e = BN_bin2bn(exponent, (int)exponent_count, NULL);
  OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "RSA", NULL);
  OSSL_PARAM *parameters = NULL;
  if (n != NULL && e != NULL && builder != NULL && context != NULL
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) == 1
      && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e) == 1
      && (parameters = OSSL_PARAM_BLD_to_param(builder)) != NULL && EVP_PKEY_fromdata_init(context) == 1
      && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) != 1) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  OSSL_PARAM_free(parameters);
  EVP_PKEY_CTX_free(context);
  OSSL_PARAM_BLD_free(builder);
  BN_free(e);
  BN_free(n);
  return key;
}

/// Creates an elliptic-curve public key from an uncompressed point; NULL if the point is not on the curve or at
/// infinity. The caller frees it. `curve` is NIST's name.
///
/// EVP_PKEY_public_check_quick(3) suffices: the curves of RFC 7518 have cofactor 1, so every point on them has the
/// right order.
static inline EVP_PKEY *clibcrypto_ec_public_key(const char *curve, const unsigned char *point, size_t point_count) {
  EVP_PKEY *key = NULL;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
  OSSL_PARAM parameters[3];
  parameters[0] = OSSL_PARAM_construct_utf8_string(OSSL_PKEY_PARAM_GROUP_NAME, (char *)curve, 0);
  parameters[1] = OSSL_PARAM_construct_octet_string(OSSL_PKEY_PARAM_PUB_KEY, (void *)point, point_count);
  parameters[2] = OSSL_PARAM_construct_end();
  int is_sound = context != NULL && EVP_PKEY_fromdata_init(context) == 1
      && EVP_PKEY_fromdata(context, &key, EVP_PKEY_PUBLIC_KEY, parameters) == 1;
  EVP_PKEY_CTX_free(context);
  if (is_sound) {
    context = EVP_PKEY_CTX_new_from_pkey(NULL, key, NULL);
    is_sound = context != NULL && EVP_PKEY_public_check_quick(context) == 1;
    EVP_PKEY_CTX_free(context);
  }
  if (!is_sound) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  return key;
}

#endif
