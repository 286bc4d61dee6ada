export { Authority, isNearExpiry, type CertificateRequest, type IssuedCertificate } from './authority.ts';
export { issueServerCertificate, type ServerCertificate, type ServerCertificateOptions } from './server-certificate.ts';
