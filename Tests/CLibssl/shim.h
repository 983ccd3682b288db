// OpenSSL for the TLS server of the tests: generates certificates, and wraps calls that are macros.

#ifndef AUTHORIZER_CLIBSSL_SHIM_H
#define AUTHORIZER_CLIBSSL_SHIM_H

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

/// OpenSSL's description of its last failure on this thread: a code and a text, or an empty text.
static inline const char *clibssl_problem(char *text, size_t size) {
  ERR_error_string_n(ERR_peek_last_error(), text, size);
  return text;
}

static inline EVP_PKEY *clibssl_key(void) { return EVP_EC_gen("P-256"); }

static inline int clibssl_extend(X509 *certificate, X509 *issuer, int identifier, const char *value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
  X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, identifier, value);
  int is_added = extension != NULL && X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
  return is_added;
}

/// A certificate for `key`, valid from `from` until `until` in seconds from now; NULL on failure. Without an issuer
/// it is a self-signed CA certificate. `names` is the value of subjectAltName (x509v3_config(5)).
static inline X509 *clibssl_certificate(
    EVP_PKEY *key, X509 *issuer, EVP_PKEY *issuer_key, const char *common_name, const char *names, long from,
    long until) {
  // Signatures look up their digest in a table that another module of this process may have left empty
  // (OPENSSL_INIT_NO_ADD_ALL_DIGESTS). The certificate would then count as signed without a digest.
  EVP_add_digest(EVP_sha256());
  X509 *certificate = X509_new();
  X509_NAME *subject = X509_NAME_new();
  int is_made = certificate != NULL && subject != NULL && X509_set_version(certificate, X509_VERSION_3)
      && ASN1_INTEGER_set(X509_get_serialNumber(certificate), issuer == NULL ? 1 : 2)
      && X509_gmtime_adj(X509_getm_notBefore(certificate), from) != NULL
      && X509_gmtime_adj(X509_getm_notAfter(certificate), until) != NULL
      && X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)common_name, -1, -1, 0)
      && X509_set_subject_name(certificate, subject)
      && X509_set_issuer_name(certificate, issuer == NULL ? subject : X509_get_subject_name(issuer))
      && X509_set_pubkey(certificate, key)
      && clibssl_extend(
          certificate, issuer == NULL ? certificate : issuer, NID_basic_constraints,
          issuer == NULL ? "critical,CA:TRUE" : "critical,CA:FALSE")
      && (names == NULL || clibssl_extend(certificate, issuer, NID_subject_alt_name, names))
      && X509_sign(certificate, issuer_key, EVP_sha256());
  X509_NAME_free(subject);
  if (!is_made) {
    X509_free(certificate);
    certificate = NULL;
  }
  return certificate;
}

/// Writes a certificate as PEM; 0 on failure.
static inline int clibssl_write(X509 *certificate, const char *path) {
  BIO *file = BIO_new_file(path, "w");
  int is_written = file != NULL && PEM_write_bio_X509(file, certificate);
  BIO_free(file);
  return is_written;
}

/// A server with this certificate that supports TLS up to the given version (such as TLS1_1_VERSION); NULL on
/// failure.
static inline SSL_CTX *clibssl_server(X509 *certificate, EVP_PKEY *key, int highest_version) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (context == NULL) return NULL;
  // TLS 1.1 signs with SHA-1, which only level 0 allows (SSL_CTX_set_security_level(3)).
  if (highest_version < TLS1_2_VERSION) SSL_CTX_set_security_level(context, 0);
  if (!SSL_CTX_set_min_proto_version(context, TLS1_VERSION)
      || !SSL_CTX_set_max_proto_version(context, highest_version)
      || SSL_CTX_use_certificate(context, certificate) != 1 || SSL_CTX_use_PrivateKey(context, key) != 1) {
    SSL_CTX_free(context);
    return NULL;
  }
  return context;
}

#endif
