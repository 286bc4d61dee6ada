import type { SecureContextOptions } from 'node:tls';

/** Only ciphers with forward secrecy and AEAD; those of TLS 1.3 first. */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-RSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-RSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
  'ECDHE-RSA-CHACHA20-POLY1305',
].join(':');

/** DSP0266 §13.2: TLS 1.2 or above. */
export const TLS_OPTIONS = { minVersion: 'TLSv1.2', ciphers: CIPHERS } satisfies SecureContextOptions;
