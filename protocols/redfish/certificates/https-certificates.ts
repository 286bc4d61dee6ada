import { collection } from '../collection.ts';
import type { RedfishContext } from '../context.ts';
import type { Resource, Route } from '../resource.ts';
import { MANAGER } from '../uris.ts';
import { describeCertificate } from './describe-certificate.ts';

export const HTTPS_CERTIFICATES = `${MANAGER}/NetworkProtocol/HTTPS/Certificates`;

export function httpsCertificateRoutes({ options }: RedfishContext): Route[] {
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
