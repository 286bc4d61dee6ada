import type { MachineEvent, Requester } from '../../machine/index.ts';
import { MANAGER, SYSTEM } from '../uris.ts';
import type { LogMessage } from './log-messages.ts';

/** The description of a log entry. */
export interface Description {
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
  PowerAction: ({ action, outcome, requester }) => [
    outcome === 'Accepted' ? 'PowerActionAccepted' : 'PowerActionRefused',
    [action, who(requester)],
  ],
  BootOverride: ({ target, outcome, requester }) =>
    target === undefined
      ? [outcome === 'Accepted' ? 'BootOverrideCleared' : 'BootOverrideClearRefused', [who(requester)]]
      : [outcome === 'Accepted' ? 'BootOverrideSet' : 'BootOverrideRefused', [target, who(requester)]],
  BootOverrideEnded: ({ why }) => [OVERRIDE_ENDS[why]],
  BootOrder: ({ order, outcome, requester }) => [
    outcome === 'Accepted' ? 'BootOrderSet' : 'BootOrderRefused',
    [order ?? "of the machine's platform", who(requester)],
  ],
  Media: ({ change, slot }) => [change === 'Inserted' ? 'MediaInserted' : 'MediaEjected', [slot]],
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
  Refused: 'the BMC lets nobody in',
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
