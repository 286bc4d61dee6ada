import { hasEnded, type PowerState, type VirtualMachineInstance } from '../../../../api/index.ts';
import type { PowerCall } from './power-call.ts';

/** Milliseconds after which the caches are trusted even if they do not show the accepted action. */
const PATIENCE = 30_000;

export type Direction = 'up' | 'down' | 'down and up' | 'pause' | 'resume';

/**
 * An accepted power action that the caches may not show yet, because watches are delayed and those of VM and VMI are
 * independent. With it, `power status` right after `power on` is correct.
 */
export class Transition {
  readonly direction: Direction;
  readonly #uid: string | undefined;
  readonly #until: number;

  /** @param before the VMI at the time of the call */
  constructor(direction: Direction, before: VirtualMachineInstance | undefined, now: number) {
    this.direction = direction;
    this.#uid = before?.metadata.uid;
    this.#until = now + PATIENCE;
  }

  /** The power state, given what the caches show; undefined once they show the transition, or it has expired. */
  stateOver(shown: PowerState, vmi: VirtualMachineInstance | undefined, now: number): PowerState | undefined {
    if (now >= this.#until) return undefined;
    const running = vmi !== undefined && !hasEnded(vmi) ? vmi : undefined;
    const isBefore = running !== undefined && running.metadata.uid === this.#uid;
    switch (this.direction) {
      case 'up':
        return running === undefined || isBefore ? 'PoweringOn' : undefined;
      case 'down':
        return isBefore && shown !== 'PoweringOff' ? 'PoweringOff' : undefined;
      case 'down and up':
        if (isBefore) return 'PoweringOff';
        return running === undefined ? 'PoweringOn' : undefined;
      case 'pause':
        return isBefore && shown === 'On' ? 'Paused' : undefined;
      case 'resume':
        return isBefore && shown === 'Paused' ? 'On' : undefined;
    }
  }
}

/** The direction of an accepted call; undefined for a reset or reboot, which leave the machine on. */
export function directionOf(call: PowerCall): Direction | undefined {
  if ('runStrategy' in call) return call.runStrategy === 'Always' ? 'up' : 'down';
  switch (call.subresource) {
    case 'start':
      return 'up';
    case 'stop':
      return 'down';
    case 'restart':
      return 'down and up';
    case 'pause':
      return 'pause';
    case 'unpause':
      return 'resume';
    case 'softreboot':
    case 'reset':
      return undefined;
  }
}
