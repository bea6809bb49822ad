/** Faults of a server's TLS, by the code of Node's error, as texts that follow a name of the server. */

const UNTRUSTED = 'has a certificate of an authority that this machine does not trust';
const NO_TLS = 'does not speak TLS at this port';
const NO_COMMON_TLS = 'speaks no version or cipher of TLS that this machine accepts';

const PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has a certificate that has expired',
  CERT_NOT_YET_VALID: 'has a certificate that is not valid yet: compare the clocks',
  CERT_REVOKED: 'has a certificate that was revoked',
  ERR_TLS_CERT_ALTNAME_INVALID: 'has a certificate for other names',
  HOSTNAME_MISMATCH: 'has a certificate for other names',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'has a self-signed certificate',
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  INVALID_CA: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'sends its certificate without the intermediate certificates: the chain is incomplete',
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  ERR_SSL_HTTP_REQUEST: NO_TLS,
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: NO_COMMON_TLS,
  ERR_SSL_UNSUPPORTED_PROTOCOL: NO_COMMON_TLS,
  ERR_SSL_NO_PROTOCOLS_AVAILABLE: NO_COMMON_TLS,
  ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE: NO_COMMON_TLS,
};

/** Returns the fault that a code stands for, or null if the code is not about TLS. */
export function tlsProblemOf(code: string): string | null {
  const problem = PROBLEMS[code];
  if (problem !== undefined) return problem;
  return /^(?:CERT_|ERR_TLS_|ERR_SSL_)/.test(code) ? 'breaks off the TLS handshake' : null;
}
