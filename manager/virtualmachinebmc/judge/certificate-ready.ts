import { certificateSecretName } from '../../../api/index.ts';
import { namedProblem } from '../certificate/index.ts';
import type { Facts } from '../facts.ts';
import { asBefore } from './as-before.ts';
import { isSecondElsewhere } from './claim.ts';
import { firstOf, type Check, type Finding } from './finding.ts';
import { REASONS } from './reasons.ts';

/**
 * Whether the certificate that is shown over HTTPS is the one that the spec asks for.
 *
 * @param now milliseconds since 1970
 */
export function certificateReady(facts: Facts, now: number): Finding {
  const checks: Check[] = [
    isSecondElsewhere,
    inTheWay,
    refused,
    unread,
    missing,
    (given) => unfit(given, now),
    notMade,
  ];
  const { named } = facts.certificate;
  const message =
    named === undefined
      ? `Secret ${secretName(facts)} holds the certificate, issued by Groundcrew.`
      : `Secret ${secretName(facts)} holds the certificate of Secret ${named.name}.`;
  return firstOf(checks, facts, { status: 'True', reason: REASONS.certificateReady, message });
}

/** Whether there is a certificate at all, be it another than the one that is asked for. */
export function hasCertificate({ certificate: { held } }: Facts): boolean {
  return held.standing === 'Ours' && Object.keys(held.data).length > 0;
}

const inTheWay: Check = (facts) => {
  const { held } = facts.certificate;
  if (held.standing !== 'Theirs') return undefined;
  const message =
    `Secret ${secretName(facts)} belongs to ${held.owner}, and is left alone. ` +
    'Delete it, or rename the BMC; until then Redfish does not answer.';
  return { status: 'False', reason: REASONS.notOwned, message };
};

const refused: Check = ({ refusals }) => {
  const refusal = refusals.find(({ child }) => child === 'certificate');
  return refusal === undefined
    ? undefined
    : {
        status: 'False',
        reason: REASONS.refused,
        message: `The API server refused ${refusal.object}: ${refusal.message}`,
      };
};

const unread: Check = (facts) =>
  facts.certificate.named?.state === 'Unread'
    ? asBefore(facts, 'CertificateReady', {
        status: 'Unknown',
        reason: REASONS.secretUnread,
        message:
          `Secret ${facts.certificate.named.name} has not been read yet. ` +
          'If this stays, see whether groundcrew-manager may get, list and watch it.',
      })
    : undefined;

const missing: Check = (facts) => {
  const { named } = facts.certificate;
  if (named?.state !== 'Missing') return undefined;
  const message =
    `There is no Secret ${named.name}. Create it with the keys tls.crt and tls.key, ` +
    `or take spec.redfish.tls.secretRef out to have a certificate issued.${inUse(facts)}`;
  return { status: 'False', reason: REASONS.certificateNotFound, message };
};

function unfit(facts: Facts, now: number): Finding | undefined {
  const { named } = facts.certificate;
  if (named?.state !== 'Found') return undefined;
  const problem = namedProblem(named, now);
  if (problem === undefined) return undefined;
  return {
    status: 'False',
    reason: REASONS.certificateUnfit,
    message: `Secret ${named.name} ${problem}. Correct it.${inUse(facts)}`,
  };
}

const notMade: Check = (facts) =>
  hasCertificate(facts)
    ? undefined
    : {
        status: 'False',
        reason: REASONS.certificatePending,
        message: `Secret ${secretName(facts)} with the certificate is being made.`,
      };

function inUse(facts: Facts): string {
  return hasCertificate(facts) ? ` Until then the BMC shows the one in Secret ${secretName(facts)}.` : '';
}

function secretName({ bmc }: Facts): string {
  return certificateSecretName(bmc.metadata.name);
}
