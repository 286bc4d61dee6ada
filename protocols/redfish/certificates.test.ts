import { describe, expect, it } from 'vitest';
import { certificatesRoutes, HTTPS_CERTIFICATES } from './certificates.ts';
import { FakeBmc, payloadAt } from './testing/index.ts';

/** Self-signed, with all supported name attributes; its key was discarded. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIICtDCCAlugAwIBAgIDChssMAoGCCqGSM49BAMCMIGXMQswCQYDVQQGEwJERTEQ
MA4GA1UECAwHQmF2YXJpYTEPMA0GA1UEBwwGTXVuaWNoMRAwDgYDVQQKDAdFeGFt
cGxlMQwwCgYDVQQLDANMYWIxDzANBgNVBAsMBlNlY29uZDEUMBIGA1UEAwwLYm1j
LmV4YW1wbGUxHjAcBgkqhkiG9w0BCQEWD29wc0BleGFtcGxlLm9yZzAgFw0yNjEx
MjIwMTIxMjFaGA8yMTI2MTAyOTAxMjEyMVowgZcxCzAJBgNVBAYTAkRFMRAwDgYD
VQQIDAdCYXZhcmlhMQ8wDQYDVQQHDAZNdW5pY2gxEDAOBgNVBAoMB0V4YW1wbGUx
DDAKBgNVBAsMA0xhYjEPMA0GA1UECwwGU2Vjb25kMRQwEgYDVQQDDAtibWMuZXhh
bXBsZTEeMBwGCSqGSIb3DQEJARYPb3BzQGV4YW1wbGUub3JnMFkwEwYHKoZIzj0C
AQYIKoZIzj0DAQcDQgAEXM5BRq7fRJG2w5nRpMYSYgqdBgK1XJV3E1eh/urr9EBG
brnVejLvoCdaXipLlk53Yb8Ze/qubtZf45PsA6LFXKOBkTCBjjAdBgNVHQ4EFgQU
jHzNaNmADYmK7DzGJjErLZN8dNkwHwYDVR0jBBgwFoAUjHzNaNmADYmK7DzGJjEr
LZN8dNkwDwYDVR0TAQH/BAUwAwEB/zAcBgNVHREEFTATggtibWMuZXhhbXBsZYcE
wAACCTAdBgNVHSUEFjAUBggrBgEFBQcDAQYIKwYBBQUHAwIwCgYIKoZIzj0EAwID
RwAwRAIgRz3Mahm8u5FNGz/j2ickcfb/nS45yYfQCh+y39r+yQQCIFD4wvOSEZ9I
zpiD9lbFjBceKgttwWL7BHlHaiD0/Yd9
-----END CERTIFICATE-----
`;
/** Version 1, without names and extensions. */
const BARE = `-----BEGIN CERTIFICATE-----
MIH7MIGjAhRy98KbLDwZmtHXpPL1GaDK90dzNTAKBggqhkjOPQQDAjAAMCAXDTI2
MTEyMjAxMjEyMVoYDzIxMjYxMDI5MDEyMTIxWjAAMFkwEwYHKoZIzj0CAQYIKoZI
zj0DAQcDQgAE1D32aXqo47uooUgt6HtZs444oFJTdpUvX2iq0FenT+90pIEMDeCn
Qrv9jBK7SgVR4aq/9zkiiwPNL4EdgwZyGDAKBggqhkjOPQQDAgNHADBEAiAziuHj
N196UvfH7TmvNsFt6DTATCBE0+3HKsYrVv1/JQIga3sybmrOJpXCM1Uyzqe6vOfz
frGmjy2g9k+9yIpT3Rs=
-----END CERTIFICATE-----
`;

function bmcWith(...certificates: string[]): FakeBmc {
  const bmc = new FakeBmc();
  bmc.certificates = certificates;
  return bmc;
}

describe('HTTPS certificates', () => {
  it('are the certificates served now', async () => {
    const bmc = bmcWith(CERTIFICATE, BARE);
    const routes = certificatesRoutes(bmc.context);

    expect(await payloadAt(routes, HTTPS_CERTIFICATES)).toMatchObject({ 'Members@odata.count': 2 });
    bmc.certificates = [];
    expect(await payloadAt(routes, HTTPS_CERTIFICATES)).toMatchObject({ Members: [] });
    expect(await payloadAt(routes, `${HTTPS_CERTIFICATES}/1`)).toBeUndefined();
  });

  it('show their contents', async () => {
    const name = {
      CommonName: 'bmc.example',
      Organization: 'Example',
      OrganizationalUnit: 'Lab',
      City: 'Munich',
      State: 'Bavaria',
      Country: 'DE',
      Email: 'ops@example.org',
    };

    expect(await payloadAt(certificatesRoutes(bmcWith(CERTIFICATE).context), `${HTTPS_CERTIFICATES}/1`)).toMatchObject({
      CertificateString: CERTIFICATE,
      CertificateType: 'PEM',
      Subject: { ...name, AlternativeNames: ['bmc.example', '192.0.2.9'] },
      Issuer: name,
      ValidNotBefore: '2026-11-22T01:21:21Z',
      ValidNotAfter: '2126-10-29T01:21:21Z',
      SerialNumber: '0A:1B:2C',
      Fingerprint: 'C1:6E:C7:FC:D3:2F:B4:95:AC:3B:92:88:8E:A1:F8:7B:95:49:DB:F6:85:7F:C7:C6:0D:A6:10:8E:FD:AB:B6:19',
      FingerprintHashAlgorithm: 'TPM_ALG_SHA256',
      SignatureAlgorithm: '1.2.840.10045.4.3.2',
      KeyUsage: ['ServerAuthentication', 'ClientAuthentication'],
    });
  });

  it('may have no names and no extensions', async () => {
    expect(await payloadAt(certificatesRoutes(bmcWith(BARE).context), `${HTTPS_CERTIFICATES}/1`)).toMatchObject({
      Subject: {},
      Issuer: {},
      KeyUsage: [],
    });
  });

  it.each(['0', '2', '01', '-1', '1.0', 'x', '999999999999'])('are not found at %j', (certificate) => {
    const route = certificatesRoutes(bmcWith(CERTIFICATE).context).find(({ path }) => path.endsWith('{certificate}'));

    expect(route?.find({ certificate })).toBeUndefined();
    expect(route?.find({})).toBeUndefined();
  });
});
