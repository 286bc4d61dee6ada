import type { MachineEvent, Requester } from '../machine/index.ts';
import { MANAGER, SYSTEM } from './uris.ts';

interface Definition {
  readonly severity: 'OK' | 'Warning';
  /** With placeholders `%1`, `%2`. */
  readonly text: string;
}

export const LOG_REGISTRY = 'Groundcrew';
/** Increase it when the meaning of a message changes. */
export const LOG_REGISTRY_VERSION = '1.0.0';
/** Prefix of the message IDs: registry, major and minor version. */
export const LOG_MESSAGE_PREFIX = 'Groundcrew.1.0';

/** Messages of the event log; served as a message registry. */
export const LOG_MESSAGES = {
  PoweredOn: { severity: 'OK', text: 'The machine is powered on.' },
  PoweredOff: { severity: 'OK', text: 'The machine is powered off.' },
  PowerActionAccepted: { severity: 'OK', text: 'The power action %1 was asked for by %2.' },
  PowerActionRefused: { severity: 'Warning', text: 'The power action %1 that %2 asked for was refused.' },
  PowerActionUnknown: {
    severity: 'Warning',
    text: 'Whether the power action %1 that %2 asked for was done is not known.',
  },
  BootOverrideSet: { severity: 'OK', text: 'The boot override %1 was set by %2.' },
  BootOverrideCleared: { severity: 'OK', text: 'The boot override was cleared by %1.' },
  BootOverrideRefused: { severity: 'Warning', text: 'The boot override %1 that %2 asked for was refused.' },
  BootOverrideClearRefused: { severity: 'Warning', text: 'The boot override could not be cleared as %1 asked for.' },
  BootOverrideUsed: { severity: 'OK', text: 'The machine booted, and the boot override is used up.' },
  BootOverrideLapsed: { severity: 'OK', text: 'The boot override lapsed without a boot.' },
  BootOverrideDropped: { severity: 'Warning', text: 'The boot override was dropped as the machine was changed.' },
  BootOrderSet: { severity: 'OK', text: 'The boot order %1 was set by %2.' },
  BootOrderRefused: { severity: 'Warning', text: 'The boot order %1 that %2 asked for was refused.' },
  MediaInserted: { severity: 'OK', text: 'An image was inserted into the drive %1.' },
  MediaInsertedBy: { severity: 'OK', text: 'An image was inserted into the drive %1 by %2.' },
  MediaEjected: { severity: 'OK', text: 'The drive %1 was emptied.' },
  MediaEjectedBy: { severity: 'OK', text: 'The drive %1 was emptied by %2.' },
  LoginFailed: { severity: 'Warning', text: 'A login as %1 failed: %2.' },
  WatchdogExpired: { severity: 'Warning', text: 'The watchdog timer expired; its action: %1.' },
  AccountChanged: { severity: 'OK', text: 'The account %1 was changed by %2.' },
  LogCleared: { severity: 'OK', text: 'The log was cleared by %1.' },
  ClientRecord: { severity: 'OK', text: 'A record of type %1 was written by %2: %3.' },
} as const satisfies Readonly<Record<string, Definition>>;

type LogMessage = keyof typeof LOG_MESSAGES;

/** The description of a log entry. */
interface Description {
  readonly message: LogMessage;
  readonly args: readonly string[];
  /** URI of the affected resource. */
  readonly origin: string;
}

type Kind = MachineEvent['kind'];
type Describers = { [K in Kind]: (event: Extract<MachineEvent, { kind: K }>) => Said };
/** Default origin: the machine. */
type Said = readonly [message: LogMessage, args?: readonly string[], origin?: string];

const DESCRIBERS: Describers = {
  PowerState: ({ state }) => [state === 'On' ? 'PoweredOn' : 'PoweredOff'],
  PowerAction: ({ action, outcome, requester }) => [`PowerAction${outcome}`, [action, who(requester)]],
  BootOverride: ({ target, outcome, requester }) =>
    target === undefined
      ? [outcome === 'Accepted' ? 'BootOverrideCleared' : 'BootOverrideClearRefused', [who(requester)]]
      : [outcome === 'Accepted' ? 'BootOverrideSet' : 'BootOverrideRefused', [target, who(requester)]],
  BootOverrideEnded: ({ why }) => [OVERRIDE_ENDS[why]],
  BootOrder: ({ order, outcome, requester }) => [
    outcome === 'Accepted' ? 'BootOrderSet' : 'BootOrderRefused',
    [order ?? "of the machine's platform", who(requester)],
  ],
  // Without a requester the change was only seen: the drive was changed in Kubernetes.
  Media: ({ change, slot, requester }) =>
    requester === undefined ? [`Media${change}`, [slot]] : [`Media${change}By`, [slot, who(requester)]],
  LoginFailed: ({ requester, why }) => ['LoginFailed', [who(requester), FAILURES[why]], MANAGER],
  Watchdog: ({ action }) => ['WatchdogExpired', [action]],
  AccountChanged: ({ account, requester }) => ['AccountChanged', [account, who(requester)], MANAGER],
  Cleared: ({ requester }) => ['LogCleared', [who(requester)], MANAGER],
  Record: ({ type, body, requester }) => ['ClientRecord', [hexByte(type), who(requester), body]],
};

const OVERRIDE_ENDS = {
  Booted: 'BootOverrideUsed',
  Lapsed: 'BootOverrideLapsed',
  Dropped: 'BootOverrideDropped',
} as const;

const FAILURES = {
  UnknownUser: 'there is no such user',
  WrongPassword: 'the password is wrong',
  LockedOut: 'the user is locked out',
  Refused: 'the BMC admits no log-ins',
} as const;

export function describeEvent(event: MachineEvent): Description {
  // The handler of each kind takes events of that kind; the compiler cannot infer this.
  const describe = DESCRIBERS[event.kind] as (event: MachineEvent) => Said;
  const [message, args = [], origin = SYSTEM] = describe(event);
  return { message, args, origin };
}

function who({ user, address, protocol }: Requester): string {
  const name = user === '' ? 'nobody' : user;
  return `${name} from ${address} by ${protocol}`;
}

function hexByte(value: number): string {
  return `0x${value.toString(16).padStart(2, '0')}`;
}
