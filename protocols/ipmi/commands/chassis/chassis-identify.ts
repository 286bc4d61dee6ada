import { NET_FN, PRIVILEGE } from '../../message/codes.ts';
import type { SessionCommand } from '../command.ts';

const DEFAULT_SECONDS = 15;
const FORCE_ON = 0x01;

/** Chassis Identify, IPMI 2.0 §28.5: seconds (0 for off), and a bit for no time limit. */
export const chassisIdentify: SessionCommand = {
  name: 'Chassis Identify',
  netFn: NET_FN.chassis,
  command: 0x04,
  privilege: PRIVILEGE.operator,
  requestLength: [0, 2],
  repeatable: true,
  handle: (request, { bmc, now }) => {
    const seconds = request.length > 0 ? request.readUInt8(0) : DEFAULT_SECONDS;
    const isForced = request.length > 1 && (request.readUInt8(1) & FORCE_ON) !== 0;
    bmc.identify.turnOn(isForced ? Infinity : seconds * 1_000, now);
  },
};

/** State of the chassis identify light, IPMI 2.0 §28.5. A VM has no light; Get Chassis Status reports the state. */
export class Identify {
  /** Time in ms at which it turns off. */
  #until = -Infinity;

  /** @param duration ms; Infinity: no time limit, 0: off */
  turnOn(duration: number, now: number): void {
    this.#until = now + duration;
  }

  turnOff(): void {
    this.#until = -Infinity;
  }

  stateAt(now: number): 'Off' | 'Temporary' | 'Indefinite' {
    if (this.#until === Infinity) return 'Indefinite';
    return this.#until > now ? 'Temporary' : 'Off';
  }
}
