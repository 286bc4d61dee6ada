export { Authority, type CertificateRequest, type IssuedCertificate } from './authority.ts';
export { issueServerCertificate, type ServerCertificate, type ServerCertificateOptions } from './server-certificate.ts';
