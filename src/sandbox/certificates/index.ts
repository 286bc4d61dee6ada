export { issueServerCertificate, type ServerCertificate, type ServerCertificateOptions } from './server-certificate.ts';
