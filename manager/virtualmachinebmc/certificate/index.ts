export { certificateDueIn, certificatePlan, namedProblem, type CertificatePlan } from './judge-certificate.ts';
export { writeCertificate } from './write-certificate.ts';
