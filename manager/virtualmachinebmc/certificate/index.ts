export { certificateDueIn, certificatePlan, namedProblem, type CertificatePlan } from './evaluate-certificate.ts';
export { writeCertificate } from './write-certificate.ts';
