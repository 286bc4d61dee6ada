import { MachineError } from '../machine/index.ts';
import { HTTPS_CERTIFICATES } from './certificates.ts';
import type { RedfishContext } from './context.ts';
import { isObject, type JsonObject } from './json.ts';
import { base, machineRefusal, RedfishError } from './messages.ts';
import type { CertificateRequest } from './options.ts';
import type { Action, Resource, Route } from './resource.ts';
import type { ObjectRule, TextRule } from './rules.ts';
import { CERTIFICATE_SERVICE, link } from './uris.ts';

const LOCATIONS = `${CERTIFICATE_SERVICE}/CertificateLocations`;
/** The certificate of the BMC; those behind it are of its issuers. */
const SERVED = `${HTTPS_CERTIFICATES}/1`;

/** CertificateService, with which clients replace the HTTPS certificate. */
export function certificateServiceRoutes(context: RedfishContext): Route[] {
  const { options } = context;
  const service: Resource = {
    type: 'CertificateService.v1_2_1.CertificateService',
    read: () => ({
      Id: 'CertificateService',
      Name: 'Certificate Service',
      Description: 'Replaces the HTTPS certificate, unless the owner of the BMC names one.',
      CertificateLocations: link(LOCATIONS),
    }),
    actions: [generateCsr(context), replaceCertificate(context)],
  };
  const locations: Resource = {
    type: 'CertificateLocations.v1_0_4.CertificateLocations',
    read: () => ({
      Id: 'CertificateLocations',
      Name: 'Certificate Locations',
      Links: { Certificates: options.certificates().map((_pem, index) => link(`${HTTPS_CERTIFICATES}/${index + 1}`)) },
    }),
  };
  return [
    { path: CERTIFICATE_SERVICE, find: () => service },
    { path: LOCATIONS, find: () => locations },
  ];
}

const REFERENCE: ObjectRule = {
  kind: 'object',
  properties: { '@odata.id': { kind: 'text', maxLength: 256, isRequired: true } },
  isRequired: true,
};
/** Maximum lengths are those of RFC 5280 appendix A.1. */
const name = (maxLength: number): TextRule => ({ kind: 'text', minLength: 1, maxLength });
/** A DNS name, which may begin with a wildcard, or an IP address. */
const HOST = /^(\*\.)?[\w-]+(\.[\w-]+)*$|^[\dA-Fa-f:.]*:[\dA-Fa-f:.]*$/;

/** Parameters of GenerateCSR and attributes of the distinguished name (RFC 4514 §3), in their order there. */
const ATTRIBUTES = {
  Country: 'C',
  State: 'ST',
  City: 'L',
  Organization: 'O',
  OrganizationalUnit: 'OU',
  CommonName: 'CN',
} as const;

function generateCsr({ options }: RedfishContext): Action {
  const action = 'CertificateService.GenerateCSR';
  return {
    name: action,
    rules: {
      kind: 'object',
      properties: {
        CertificateCollection: REFERENCE,
        CommonName: { ...name(64), isRequired: true },
        AlternativeNames: { kind: 'list', maxItems: 64, items: { ...name(253), pattern: HOST } },
        Organization: name(64),
        OrganizationalUnit: name(64),
        City: name(128),
        State: name(128),
        Country: { ...name(2), pattern: /^[A-Z]{2}$/ },
        KeyPairAlgorithm: { kind: 'word', words: ['TPM_ALG_ECDSA', 'TPM_ALG_RSA'] },
        KeyCurveId: { kind: 'word', words: ['TPM_ECC_NIST_P256', 'TPM_ECC_NIST_P384'] },
        KeyBitLength: { kind: 'number', least: 2048, most: 4096 },
      },
    },
    run: async (parameters, { requester }) => {
      checkReference(parameters, 'CertificateCollection', HTTPS_CERTIFICATES, action);
      const commonName = textIn(parameters, 'CommonName') ?? '';
      const names = parameters['AlternativeNames'] ?? [commonName].filter((each) => HOST.test(each));
      const csr = await options.certificateOwner.request({
        subject: Object.entries(ATTRIBUTES).flatMap(([parameter, attribute]) => {
          const value = textIn(parameters, parameter);
          return value === undefined ? [] : [[attribute, value.toWellFormed()] as const];
        }),
        names: names as readonly string[], // by its rule
        key: keyOf(parameters),
      });
      options.observer.audited(requester, `a private key and a certificate request for ${commonName} were made`);
      return { body: { CertificateCollection: link(HTTPS_CERTIFICATES), CSRString: csr } };
    },
  };
}

/** ECDSA P-256 by default; RSA, of 3072 bits by default, also if only a length is given. */
function keyOf({ KeyPairAlgorithm, KeyCurveId, KeyBitLength }: JsonObject): CertificateRequest['key'] {
  const isRsa = KeyPairAlgorithm === 'TPM_ALG_RSA' || (KeyPairAlgorithm ?? KeyCurveId) === undefined;
  if (isRsa && typeof KeyBitLength === 'number') return KeyBitLength;
  if (KeyPairAlgorithm === 'TPM_ALG_RSA') return 3072;
  return KeyCurveId === 'TPM_ECC_NIST_P384' ? 'P-384' : 'P-256';
}

const PEM_ONLY =
  'Convert the certificate to PEM: openssl pkcs12 -in FILE -nodes, or openssl pkcs7 -in FILE -print_certs.';

function replaceCertificate({ options }: RedfishContext): Action {
  const action = 'CertificateService.ReplaceCertificate';
  return {
    name: action,
    rules: {
      kind: 'object',
      properties: {
        CertificateString: { kind: 'text', maxLength: 65_536, isRequired: true, isSecret: true },
        CertificateType: {
          kind: 'word',
          words: ['PEM', 'PEMchain'],
          absent: { PKCS7: PEM_ONLY, PKCS12: PEM_ONLY },
          isRequired: true,
        },
        CertificateUri: REFERENCE,
        Password: { kind: 'text', maxLength: 256, isSecret: true },
      },
    },
    run: async (parameters, { requester }) => {
      checkReference(parameters, 'CertificateUri', SERVED, action);
      const text = textIn(parameters, 'CertificateString') ?? '';
      try {
        await options.certificateOwner.replace(text, textIn(parameters, 'Password'));
      } catch (error) {
        if (!(error instanceof MachineError)) throw error;
        throw machineRefusal(error, base('ActionParameterValueError', ['CertificateString', action]));
      }
      options.observer.audited(requester, 'the HTTPS certificate was replaced');
      return { changed: SERVED };
    },
  };
}

function textIn(parameters: JsonObject, name: string): string | undefined {
  const value = parameters[name];
  return typeof value === 'string' ? value : undefined;
}

/** @throws RedfishError 400 unless the parameter refers to `uri` */
function checkReference(parameters: JsonObject, parameter: string, uri: string, action: string): void {
  const given = parameters[parameter];
  if (isObject(given) && textIn(given, '@odata.id')?.replace(/\/$/, '') === uri) return;
  const refusal = base('ActionParameterValueError', [parameter, action]);
  throw new RedfishError(400, [{ ...refusal, Resolution: `It must be ${uri}.` }]);
}
