import { IPMI_CREDENTIAL_LIMITS, ipmiSettings, SECRET_KEYS } from '../../../api/index.ts';
import { holds, holdsNot, type ConditionResult } from '../../conditions.ts';
import { credentialsLength, LONGEST_CREDENTIALS } from '../../sharedagent/index.ts';
import type { Inputs } from '../inputs.ts';
import { routeOf } from '../route.ts';
import { asBefore, firstOf, refused, REASONS, type Check } from './condition-result.ts';
import { isSecondElsewhere } from './virtual-machine.ts';

/** Whether the credentials exist and every enabled protocol can use them. */
export function secretAvailable(inputs: Inputs): ConditionResult {
  const checks: Check[] = [
    isSecondElsewhere,
    unread,
    (given) => refused(given, ['credentials']),
    missing,
    withoutKeys,
    (given) => (routeOf(given) === 'Own' ? undefined : tooLongToShare(given)),
    usernameTooLong,
    passwordTooLong,
    keyTooLong,
  ];
  return firstOf(
    checks,
    inputs,
    holds(
      REASONS.secretFound,
      `Secret ${inputs.secret.name} holds the credentials${inputs.secret.generated ? ', made by Groundcrew' : ''}.${lineBreaks(inputs)}`,
    ),
  );
}

/** A line break is used as it is, since a client with the same Secret sends the same; but one added by `echo` cannot be typed. */
function lineBreaks({ secret }: Inputs): string {
  const keys = Object.values(SECRET_KEYS).filter((key) => /[\r\n]$/.test(textOf(secret.data?.[key])));
  if (keys.length === 0) return '';
  const part =
    keys.length === 1 ? 'ends in a line break, which is part of it' : 'end in a line break, which is part of each';
  return ` Its ${keys.join(' and ')} ${part}: where that is not meant, write the Secret without, as echo -n does.`;
}

function textOf(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString('latin1');
}

const unread: Check = (inputs) =>
  inputs.secret.state === 'Unread'
    ? asBefore(inputs, 'SecretAvailable', {
        status: 'Unknown',
        reason: REASONS.secretUnread,
        message:
          `Secret ${inputs.secret.name} has not been read yet. ` +
          'If this stays, see whether groundcrew-manager may get, list and watch it.',
      })
    : undefined;

const missing: Check = ({ secret }) => {
  if (secret.state !== 'Missing') return undefined;
  if (secret.generated) return holdsNot(REASONS.secretPending, `Secret ${secret.name} is being made.`);
  return holdsNot(
    REASONS.secretNotFound,
    `There is no Secret ${secret.name}. Create it with the keys username and password, ` +
      'or take spec.authSecretRef out to have one made.',
  );
};

const withoutKeys: Check = ({ secret }) => {
  const lacking = [SECRET_KEYS.username, SECRET_KEYS.password].filter((key) => byteLength(secret.data?.[key]) === 0);
  if (lacking.length === 0) return undefined;
  return holdsNot(
    REASONS.secretIncomplete,
    `Secret ${secret.name} has no ${lacking.join(' and no ')}. Add ${lacking.length === 1 ? 'this key' : 'these keys'} to it.`,
  );
};

/** A shared agent has the credentials of all its BMCs in one Secret, and is not told longer ones. */
export const tooLongToShare: Check = ({ secret, placement }) => {
  const length = credentialsLength(secret.data ?? {});
  if (length <= LONGEST_CREDENTIALS || placement.wanted !== 'Shared') return undefined;
  return holdsNot(
    REASONS.credentialsTooLong,
    `The credentials in Secret ${secret.name} have ${length} base64 characters, and a shared agent takes ${LONGEST_CREDENTIALS}. ` +
      'Shorten them, or set spec.placement: Dedicated.',
  );
};

const usernameTooLong: Check = (inputs) => tooLong(inputs, 'username');

const passwordTooLong: Check = (inputs) => tooLong(inputs, 'password');

const keyTooLong: Check = (inputs) => tooLong(inputs, 'kg');

/** Whether IPMI supports the credentials. Truncated ones would admit a client that knows only a part of them. */
export function isIpmiPossible(inputs: Inputs): boolean {
  return [usernameTooLong, passwordTooLong, keyTooLong].every((check) => check(inputs) === undefined);
}

function tooLong(
  { bmc, bmcDefaults, secret }: Inputs,
  key: keyof typeof IPMI_CREDENTIAL_LIMITS,
): ConditionResult | undefined {
  const length = byteLength(secret.data?.[SECRET_KEYS[key]]);
  const limit = IPMI_CREDENTIAL_LIMITS[key];
  if (length <= limit || !ipmiSettings(bmc.spec, bmcDefaults).enabled) return undefined;
  return holdsNot(
    REASONS.credentialsUnfitForIPMI,
    `IPMI is off: the ${key} in Secret ${secret.name} has ${length} bytes and IPMI allows ${limit}. ` +
      'Shorten it, or set spec.ipmi.enabled: false.',
  );
}

function byteLength(base64: string | undefined): number {
  return base64 === undefined ? 0 : Buffer.from(base64, 'base64').length;
}

/** A sentence that says which setting disables IPMI; undefined if it is enabled. */
export function ipmiOff({ bmc, bmcDefaults }: Inputs): string | undefined {
  if (ipmiSettings(bmc.spec, bmcDefaults).enabled) return undefined;
  const by =
    bmc.spec.ipmi?.enabled === false
      ? 'spec.ipmi.enabled: false'
      : "the installation's bmc.defaults.ipmi: false, and no spec.ipmi.enabled";
  return `IPMI is off (${by}): the BMC answers Redfish alone.`;
}
