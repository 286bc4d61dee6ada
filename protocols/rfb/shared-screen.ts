import type { Display } from '../machine/index.ts';
import type { AttachedViewer, Viewer } from './viewer.ts';

export interface SharedScreenOptions {
  display: Display;
  /** Name of the machine, shown by viewers. */
  name: string;
  /** Calls `work` after `delay` ms; returns how to cancel that. */
  schedule: (work: () => void, delay: number) => () => void;
  /** The number of viewers has changed. */
  onViewers?: (count: number) => void;
}

/** One screen of a machine for many viewers. */
export class SharedScreen {
  constructor(_options: SharedScreenOptions) {}

  attach(_viewer: Viewer): AttachedViewer {
    throw new Error('not yet');
  }

  /** Ends all viewers with the reason `Closed`. */
  close(): void {}
}
