import type { RedfishContext } from '../context.ts';
import { base, RedfishError } from '../messages/index.ts';
import type { Action, Resource, Route } from '../resource.ts';
import type { ObjectRule, TextRule } from '../rules.ts';
import { CERTIFICATE_SERVICE, link } from '../uris.ts';
import { HTTPS_CERTIFICATES } from './https-certificates.ts';

const LOCATIONS = `${CERTIFICATE_SERVICE}/CertificateLocations`;
const TEXT: TextRule = { kind: 'text', maxLength: 256 };
const REFERENCE: ObjectRule = {
  kind: 'object',
  properties: { '@odata.id': { ...TEXT, isRequired: true } },
  isRequired: true,
};

export function certificateServiceRoutes({ options }: RedfishContext): Route[] {
  const locations: Resource = {
    type: 'CertificateLocations.v1_0_4.CertificateLocations',
    read: () => ({
      Id: 'CertificateLocations',
      Name: 'Certificate Locations',
      Links: {
        Certificates: options.certificates().map((_pem, index) => link(`${HTTPS_CERTIFICATES}/${index + 1}`)),
      },
    }),
  };
  return [
    { path: CERTIFICATE_SERVICE, find: () => SERVICE },
    { path: LOCATIONS, find: () => locations },
  ];
}

/**
 * The certificate comes from a Secret that cluster tools renew; the BMC must not write it. OCPServiceBaseline requires both
 * actions; they exist and refuse every request.
 */
const SERVICE: Resource = {
  type: 'CertificateService.v1_2_1.CertificateService',
  read: () => ({
    Id: 'CertificateService',
    Name: 'Certificate Service',
    Description: 'The certificate comes from a Secret in the cluster; what is stored there is served at once.',
    CertificateLocations: link(LOCATIONS),
  }),
  actions: [
    refused('GenerateCSR', {
      CommonName: { ...TEXT, isRequired: true },
      CertificateCollection: REFERENCE,
      AlternativeNames: { kind: 'list', maxItems: 64, items: TEXT },
      Organization: TEXT,
      OrganizationalUnit: TEXT,
      City: TEXT,
      State: TEXT,
      Country: TEXT,
      KeyPairAlgorithm: TEXT,
      KeyBitLength: { kind: 'number', least: 256, most: 16_384 },
      KeyCurveId: TEXT,
    }),
    refused('ReplaceCertificate', {
      CertificateString: { kind: 'text', maxLength: 65_536, isRequired: true, isSecret: true },
      CertificateType: { kind: 'word', words: ['PEM', 'PEMchain', 'PKCS7', 'PKCS12'], isRequired: true },
      CertificateUri: REFERENCE,
      Password: { ...TEXT, isSecret: true },
    }),
  ],
};

function refused(name: string, properties: ObjectRule['properties']): Action {
  return {
    name: `CertificateService.${name}`,
    rules: { kind: 'object', properties },
    run: () => Promise.reject(new RedfishError(400, [base('ActionNotSupported', [name])])),
  };
}
