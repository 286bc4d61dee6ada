import { X509Certificate } from 'node:crypto';
import { collection, type Resource, type Route } from './resource.ts';
import { dateTime, type JsonObject } from './json.ts';
import { MANAGER } from './uris.ts';
import type { RedfishContext } from './context.ts';

export const HTTPS_CERTIFICATES = `${MANAGER}/NetworkProtocol/HTTPS/Certificates`;

/** The certificates of the HTTPS endpoint. */
export function certificatesRoutes({ options }: RedfishContext): Route[] {
  const certificates = collection('CertificateCollection', 'HTTPS Certificates', () =>
    options.certificates().map((pem, index) => {
      const id = String(index + 1);
      return { uri: `${HTTPS_CERTIFICATES}/${id}`, resource: certificate(id, pem) };
    }),
  );
  return [
    { path: HTTPS_CERTIFICATES, find: () => certificates },
    {
      path: `${HTTPS_CERTIFICATES}/{certificate}`,
      find: ({ certificate: id = '' }) => {
        const pem = /^[1-9]\d?$/.test(id) ? options.certificates()[Number(id) - 1] : undefined;
        return pem === undefined ? undefined : certificate(id, pem);
      },
    },
  ];
}

function certificate(id: string, pem: string): Resource {
  return {
    type: 'Certificate.v1_11_0.Certificate',
    read: () => ({
      Id: id,
      Name: id === '1' ? 'HTTPS Certificate' : 'HTTPS Issuer Certificate',
      CertificateUsageTypes: ['Web'],
      ...describeCertificate(pem),
    }),
  };
}

/** Distinguished name attributes as written by Node, and the corresponding properties of Certificate.Identifier. */
const ATTRIBUTES: Readonly<Record<string, string>> = {
  CN: 'CommonName',
  O: 'Organization',
  OU: 'OrganizationalUnit',
  L: 'City',
  ST: 'State',
  C: 'Country',
  emailAddress: 'Email',
};

/** Extended key usage (RFC 5280 §4.2.1.12). */
const KEY_PURPOSES: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'ServerAuthentication',
  '1.3.6.1.5.5.7.3.2': 'ClientAuthentication',
  '1.3.6.1.5.5.7.3.3': 'CodeSigning',
  '1.3.6.1.5.5.7.3.4': 'EmailProtection',
  '1.3.6.1.5.5.7.3.8': 'Timestamping',
  '1.3.6.1.5.5.7.3.9': 'OCSPSigning',
};

/** The properties of Certificate.v1_11_0. @param pem one certificate @throws if it cannot be parsed */
function describeCertificate(pem: string): JsonObject {
  const certificate = new X509Certificate(pem);
  return {
    CertificateString: pem,
    CertificateType: 'PEM',
    Subject: { ...identifier(certificate.subject), ...alternativeNames(certificate.subjectAltName) },
    Issuer: identifier(certificate.issuer),
    ValidNotBefore: dateTime(certificate.validFromDate.getTime()),
    ValidNotAfter: dateTime(certificate.validToDate.getTime()),
    SerialNumber: octets(certificate.serialNumber),
    Fingerprint: certificate.fingerprint256,
    FingerprintHashAlgorithm: 'TPM_ALG_SHA256',
    SignatureAlgorithm: certificate.signatureAlgorithmOid,
    KeyUsage: keyPurposes(certificate),
  };
}

/** @param name one attribute per line: `CN=bmc\nO=Example`; null if empty. The first of repeated attributes counts. */
function identifier(name: string | null): JsonObject {
  const attributes = (name ?? '').split('\n').toReversed();
  return Object.fromEntries(
    attributes.flatMap((attribute) => {
      const [key = '', ...value] = attribute.split('=');
      const property = ATTRIBUTES[key];
      return property === undefined ? [] : [[property, value.join('=')]];
    }),
  );
}

/** @param names `DNS:bmc.example, IP Address:10.0.0.1` */
function alternativeNames(names: string | null | undefined): JsonObject {
  const found = [...(names ?? '').matchAll(/(?:DNS|IP Address):([^,\s]+)/g)].map(([, name]) => name ?? '');
  return found.length === 0 ? {} : { AlternativeNames: found };
}

/** Undefined without the extension, contrary to the types of Node. */
function keyPurposes({ keyUsage }: { keyUsage: readonly string[] | null }): string[] {
  return (keyUsage ?? []).flatMap((oid) => KEY_PURPOSES[oid] ?? []);
}

/** `0a1b` → `0A:1B` */
function octets(hex: string): string {
  const digits = hex.length % 2 === 0 ? hex : `0${hex}`;
  return (digits.toUpperCase().match(/../g) ?? []).join(':');
}
