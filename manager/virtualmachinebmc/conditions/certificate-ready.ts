import { certificateSecretName, stateSecretName } from '../../../api/index.ts';
import { certificateNames } from '../certificate-names.ts';
import { namedProblem } from '../certificate.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import type { Inputs } from '../inputs.ts';
import { asBefore, firstOf, refused, REASONS, type Check } from './condition-result.ts';
import { isSecondElsewhere } from './virtual-machine.ts';

/**
 * Whether HTTPS uses the certificate that the spec requests.
 *
 * @param now milliseconds since 1970
 */
export function certificateReady(inputs: Inputs, now: number): ConditionResult {
  const checks: Check[] = [
    isSecondElsewhere,
    inTheWay,
    (given) => refused(given, ['certificate']),
    unread,
    missing,
    (given) => unfit(given, now),
    notMade,
    notAllowed,
  ];
  return firstOf(checks, inputs, holds(REASONS.certificateReady, inForce(inputs)));
}

function inForce(inputs: Inputs): string {
  const { bmc, certificate } = inputs;
  if (certificate.named !== undefined)
    return `Secret ${secretName(inputs)} holds the certificate of Secret ${certificate.named.name}.`;
  const issued = `Secret ${secretName(inputs)} holds the certificate, issued by Groundcrew.`;
  const until = bmc.status?.clientCertificateExpiresAt;
  if (until === undefined) return issued;
  return `Until ${until}, Redfish shows the certificate that a client has set, from Secret ${stateSecretName(bmc.metadata.name)}. ${issued}`;
}

/** Whether there is any certificate, even if not the requested one. */
export function hasCertificate({ certificate: { held } }: Inputs): boolean {
  return held.standing === 'Ours' && Object.keys(held.data).length > 0;
}

const inTheWay: Check = (inputs) => {
  const { held } = inputs.certificate;
  if (held.standing !== 'Theirs') return undefined;
  const message =
    `Secret ${secretName(inputs)} belongs to ${held.owner}, and is left alone. ` +
    'Delete it, or rename the BMC; until then Redfish does not answer.';
  return holdsNot(REASONS.notOwned, message);
};

const unread: Check = (inputs) =>
  inputs.certificate.named?.state === 'Unread'
    ? asBefore(inputs, 'CertificateReady', {
        status: 'Unknown',
        reason: REASONS.secretUnread,
        message:
          `Secret ${inputs.certificate.named.name} has not been read yet. ` +
          'If this stays, see whether groundcrew-manager may get, list and watch it.',
      })
    : undefined;

const missing: Check = (inputs) => {
  const { named } = inputs.certificate;
  if (named?.state !== 'Missing') return undefined;
  const message =
    `There is no Secret ${named.name}. Create it with the keys tls.crt and tls.key, ` +
    `or take spec.redfish.tls.secretRef out to have a certificate issued.${inUse(inputs)}`;
  return holdsNot(REASONS.certificateNotFound, message);
};

function unfit(inputs: Inputs, now: number): ConditionResult | undefined {
  const { named } = inputs.certificate;
  if (named?.state !== 'Found') return undefined;
  const problem = namedProblem(named, now);
  if (problem === undefined) return undefined;
  return holdsNot(REASONS.certificateUnfit, `Secret ${named.name} ${problem}. Correct it.${inUse(inputs)}`);
}

const notMade: Check = (inputs) =>
  hasCertificate(inputs)
    ? undefined
    : holdsNot(REASONS.certificatePending, `Secret ${secretName(inputs)} with the certificate is being made.`);

const notAllowed: Check = (inputs) => {
  const { named } = inputs.certificate;
  const { refused } = certificateNames(inputs);
  if (named !== undefined || refused.length === 0) return undefined;
  const each = refused.map(({ name, why }) => `${name} ${why}`).join('; ');
  const message =
    `The certificate in Secret ${secretName(inputs)} is issued without names that the installation's CA does not sign: ${each}. ` +
    'Use other names in spec.redfish.tls.dnsNames, name a Secret with a certificate in spec.redfish.tls.secretRef, ' +
    'or ask the administrator of the installation to allow the domain.';
  return holdsNot(REASONS.namesNotAllowed, message);
};

function inUse(inputs: Inputs): string {
  return hasCertificate(inputs) ? ` Until then the BMC shows the one in Secret ${secretName(inputs)}.` : '';
}

function secretName({ bmc }: Inputs): string {
  return certificateSecretName(bmc.metadata.name);
}
