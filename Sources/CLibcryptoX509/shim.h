// The certificates of OpenSSL 3's libcrypto, for the local harness; the functions need none.

#ifndef AUTHORIZER_CLIBCRYPTO_X509_SHIM_H
#define AUTHORIZER_CLIBCRYPTO_X509_SHIM_H

#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdint.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "OpenSSL 3.0 or later is needed"
#endif

/// Adds an extension in the notation of x509v3_config(5).
static inline int x509_add(X509 *certificate, X509V3_CTX *context, int name, const char *value) {
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, context, name, value);
  int is_added = extension != NULL && X509_add_ext(certificate, extension, -1) == 1;
  X509_EXTENSION_free(extension);
  return is_added;
}

/// Creates and signs a certificate; NULL if libcrypto refuses. The caller frees it.
///
/// - `issuer` is NULL for a certificate that signs itself and others; else it is the one that `issuer_key` belongs to.
/// - `names` are the subject's alternative names, in the notation of x509v3_config(5).
static inline X509 *x509_make(
    EVP_PKEY *key, const char *common_name, X509 *issuer, EVP_PKEY *issuer_key, const char *names,
    int64_t not_before, int64_t not_after) {
  // RFC 5280 section 4.1.2.2: positive, at most 20 octets.
  unsigned char serial[16];
  X509 *certificate = X509_new();
  X509V3_CTX context;
  if (certificate == NULL || RAND_bytes(serial, sizeof serial) != 1) {
    X509_free(certificate);
    return NULL;
  }
  serial[0] = (serial[0] & 0x7F) | 0x40;
  BIGNUM *number = BN_bin2bn(serial, sizeof serial, NULL);
  X509_NAME *subject = X509_get_subject_name(certificate);
  X509V3_set_ctx(&context, issuer == NULL ? certificate : issuer, certificate, NULL, NULL, 0);
  context.db = NULL;
  int is_sound = number != NULL && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != NULL
      && X509_set_version(certificate, X509_VERSION_3) == 1
      && ASN1_TIME_set(X509_getm_notBefore(certificate), (time_t)not_before) != NULL
      && ASN1_TIME_set(X509_getm_notAfter(certificate), (time_t)not_after) != NULL
      && X509_NAME_add_entry_by_txt(
             subject, "CN", MBSTRING_UTF8, (const unsigned char *)common_name, -1, -1, 0) == 1
      && X509_set_issuer_name(certificate, issuer == NULL ? subject : X509_get_subject_name(issuer)) == 1
      && X509_set_pubkey(certificate, key) == 1
      && x509_add(certificate, &context, NID_subject_key_identifier, "hash");
  if (issuer == NULL) {
    is_sound = is_sound && x509_add(certificate, &context, NID_basic_constraints, "critical,CA:TRUE,pathlen:0")
        && x509_add(certificate, &context, NID_key_usage, "critical,keyCertSign");
  } else {
    is_sound = is_sound && x509_add(certificate, &context, NID_authority_key_identifier, "keyid:always")
        && x509_add(certificate, &context, NID_basic_constraints, "critical,CA:FALSE")
        && x509_add(certificate, &context, NID_key_usage, "critical,digitalSignature")
        && x509_add(certificate, &context, NID_ext_key_usage, "serverAuth")
        && x509_add(certificate, &context, NID_subject_alt_name, names);
  }
  BN_free(number);
  if (!is_sound || X509_sign(certificate, issuer_key, EVP_sha256()) == 0) {
    X509_free(certificate);
    return NULL;
  }
  return certificate;
}

/// Writes an authority's certificate, the certificate of a server and the server's private key in PEM; 0 if libcrypto
/// refuses. The authority's private key is not kept, so nothing else can be signed with it.
static inline int x509_make_server(
    const char *authority_name, const char *server_name, const char *names, int64_t not_before,
    int64_t not_after, BIO *authority_output, BIO *certificate_output, BIO *key_output) {
  EVP_PKEY *authority_key = EVP_EC_gen("P-256");
  EVP_PKEY *key = EVP_EC_gen("P-256");
  X509 *authority = NULL;
  X509 *certificate = NULL;
  if (authority_key != NULL && key != NULL) {
    authority = x509_make(authority_key, authority_name, NULL, authority_key, NULL, not_before, not_after);
  }
  if (authority != NULL) {
    certificate = x509_make(key, server_name, authority, authority_key, names, not_before, not_after);
  }
  int is_written = certificate != NULL && PEM_write_bio_X509(authority_output, authority) == 1
      && PEM_write_bio_X509(certificate_output, certificate) == 1
      && PEM_write_bio_PrivateKey(key_output, key, NULL, NULL, 0, NULL, NULL) == 1;
  X509_free(certificate);
  X509_free(authority);
  EVP_PKEY_free(key);
  EVP_PKEY_free(authority_key);
  return is_written;
}

/// The bytes of a memory BIO; BIO_get_mem_data is a macro with a cast. They belong to the BIO.
static inline size_t x509_bytes(BIO *memory, char **bytes) {
  long count = BIO_get_mem_data(memory, bytes);
  return count > 0 ? (size_t)count : 0;
}

/// Writes the subject or the issuer as `C=US,ST=…,CN=…`, with the escapes of RFC 4514 but in the certificate's order.
static inline int x509_write_name(BIO *output, X509 *certificate, int is_issuer) {
  X509_NAME *name = is_issuer ? X509_get_issuer_name(certificate) : X509_get_subject_name(certificate);
  return X509_NAME_print_ex(output, name, 0, XN_FLAG_RFC2253 & ~XN_FLAG_DN_REV) >= 0;
}

/// Writes the begin or the end of the validity, `May 28 12:30:02 2019 GMT`.
static inline int x509_write_time(BIO *output, X509 *certificate, int is_end) {
  return ASN1_TIME_print(
      output, is_end ? X509_get0_notAfter(certificate) : X509_get0_notBefore(certificate));
}

/// The end of the validity in seconds since 1970; 0 if it cannot be read.
static inline int64_t x509_end(X509 *certificate) {
  ASN1_TIME *start = ASN1_TIME_set(NULL, 0);
  int days = 0;
  int seconds = 0;
  int is_read = start != NULL && ASN1_TIME_diff(&days, &seconds, start, X509_get0_notAfter(certificate)) == 1;
  ASN1_TIME_free(start);
  return is_read ? (int64_t)days * 86400 + seconds : 0;
}

#endif
