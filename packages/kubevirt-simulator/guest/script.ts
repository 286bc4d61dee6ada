/** One thing that a guest writes to its serial port, without being asked. */
export interface ScriptLine {
  /** Milliseconds from the script's start. */
  at: number;
  text: string;
}

/** What a guest does by itself over some time, and what comes of it. */
export interface Script {
  lines: readonly ScriptLine[];
  /** Milliseconds. */
  duration: number;
  /** `stuck`: nothing could be booted. */
  outcome: 'login' | 'stuck' | 'powerOff' | 'reboot' | 'crash';
}

/** What firmware writes. */
export interface FirmwareLog {
  banner: readonly string[];
  /** Where it waits for a key. */
  prompt: string;
  /** While it looks for something to boot. */
  attempts: readonly string[];
}

/** Lines at even distances, from `start` until before `end`, milliseconds. */
export function paced(texts: readonly string[], start: number, end: number): ScriptLine[] {
  return texts.map((text, index) => ({ at: start + ((end - start) * index) / texts.length, text: `${text}\r\n` }));
}

/** A kernel's time stamp. */
export function stamped(milliseconds: number, text: string): string {
  return `[${(milliseconds / 1000).toFixed(6).padStart(12)}] ${text}`;
}

/** A line of systemd's. */
export function done(text: string): string {
  return `[\x1b[0;32m  OK  \x1b[0m] ${text}`;
}
