import { COMPLETION, CompletionError } from '../../message/codes.ts';

/** Length of the Set Watchdog Timer data, and of the start of the Get Watchdog Timer data. */
export const TIMER_LENGTH = 6;
/** ms per countdown unit. */
const COUNT = 100;

const DO_NOT_LOG = 0x80;
const DO_NOT_STOP = 0x40;
const USE_MASK = 0x07;
const ACTION_MASK = 0x07;
const INTERRUPT_SHIFT = 4;
const INTERRUPT_MASK = 0x07;
const COUNTDOWN_AT = 4;

/** Timer uses: BIOS FRB2, BIOS/POST, OS load, SMS/OS, OEM. */
const USES: readonly number[] = [1, 2, 3, 4, 5];
const EXPIRATION_MASK = 0x3e;

export type WatchdogAction = 'None' | 'Reset' | 'PowerDown' | 'PowerCycle';

const ACTIONS: readonly WatchdogAction[] = ['None', 'Reset', 'PowerDown', 'PowerCycle'];

/** Settings of the watchdog timer, IPMI 2.0 §27.6. */
export interface WatchdogTimer {
  use: number;
  logs: boolean;
  /** Whether a running timer continues with the new countdown; otherwise it stops. */
  keepsRunning: boolean;
  action: WatchdogAction;
  /** Seconds before the end; without effect, since there is no pre-timeout interrupt. */
  preTimeout: number;
  /** Expiration flags to clear, one bit per use. */
  clears: number;
  /** ms */
  countdown: number;
}

/** @throws CompletionError 0xCC for invalid uses and actions, and for interrupts, which are not supported */
export function decodeTimer(request: Buffer): WatchdogTimer {
  const first = request.readUInt8(0);
  const second = request.readUInt8(1);
  const use = first & USE_MASK;
  const action = ACTIONS[second & ACTION_MASK];
  if (!USES.includes(use)) throw new CompletionError(COMPLETION.invalidField, `watchdog timer use ${use}`);
  if (action === undefined) throw new CompletionError(COMPLETION.invalidField, 'no such watchdog action');
  if (((second >> INTERRUPT_SHIFT) & INTERRUPT_MASK) !== 0) {
    throw new CompletionError(COMPLETION.invalidField, 'pre-timeout interrupts are not supported');
  }
  return {
    use,
    logs: (first & DO_NOT_LOG) === 0,
    keepsRunning: (first & DO_NOT_STOP) !== 0,
    action,
    preTimeout: request.readUInt8(2),
    clears: request.readUInt8(3) & EXPIRATION_MASK,
    countdown: request.readUInt16LE(COUNTDOWN_AT) * COUNT,
  };
}

/** The data of Get Watchdog Timer, IPMI 2.0 §27.7. @param left remaining ms of the countdown */
export function encodeTimer(
  { use, logs, action, preTimeout, countdown }: WatchdogTimer,
  { isRunning, expired, left }: { isRunning: boolean; expired: number; left: number },
): Buffer {
  const data = Buffer.alloc(TIMER_LENGTH + 2);
  data.writeUInt8((logs ? 0 : DO_NOT_LOG) | (isRunning ? DO_NOT_STOP : 0) | use, 0);
  data.writeUInt8(ACTIONS.indexOf(action), 1);
  data.writeUInt8(preTimeout, 2);
  data.writeUInt8(expired, 3);
  data.writeUInt16LE(countdown / COUNT, COUNTDOWN_AT);
  data.writeUInt16LE(Math.ceil(left / COUNT), TIMER_LENGTH);
  return data;
}
