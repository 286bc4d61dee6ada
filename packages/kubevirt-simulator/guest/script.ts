/** One line on the serial port. */
export interface ScriptLine {
  /** Milliseconds from the script's start. */
  at: number;
  text: string;
}

/** A timed sequence of lines, and its outcome. */
export interface Script {
  lines: readonly ScriptLine[];
  /** Milliseconds. */
  duration: number;
  /** `stuck`: no device is bootable. */
  outcome: 'login' | 'stuck' | 'powerOff' | 'reboot' | 'crash';
}

/** Lines at equal intervals from `start` to before `end`, milliseconds. */
export function paced(texts: readonly string[], start: number, end: number): ScriptLine[] {
  return texts.map((text, index) => ({ at: start + ((end - start) * index) / texts.length, text: `${text}\r\n` }));
}

/** A line with the kernel's time stamp. */
export function stamped(milliseconds: number, text: string): string {
  return `[${(milliseconds / 1000).toFixed(6).padStart(12)}] ${text}`;
}

/** A line of systemd. */
export function done(text: string): string {
  return `[\x1b[0;32m  OK  \x1b[0m] ${text}`;
}

/**
 * A shutdown.
 *
 * @param button whether the power button was pressed
 * @param uptime of the kernel at the start, milliseconds
 * @param duration milliseconds
 */
export function shutdownScript(options: {
  outcome: 'powerOff' | 'reboot';
  button: boolean;
  uptime: number;
  duration: number;
}): Script {
  const { outcome, button, uptime, duration } = options;
  const [verb, target, name, last] =
    outcome === 'powerOff'
      ? (['power off', 'poweroff.target', 'System Power Off', 'reboot: Power down'] as const)
      : (['reboot', 'reboot.target', 'System Reboot', 'reboot: Restarting system'] as const);
  const texts = [
    '',
    ...(button ? [stamped(uptime, 'systemd-logind[412]: Power key pressed short.')] : []),
    `The system will ${verb} now!`,
    '',
    done('Stopped target multi-user.target - Multi-User System.'),
    done('Stopped serial-getty@ttyS0.service - Serial Getty on ttyS0.'),
    done('Stopped systemd-networkd.service - Network Configuration.'),
    done('Stopped target sysinit.target - System Initialization.'),
    done('Reached target umount.target - Unmount All Filesystems.'),
    done(`Reached target ${target} - ${name}.`),
    stamped(uptime + duration, last),
  ];
  return { lines: paced(texts, 0, duration), duration, outcome };
}

/** A kernel panic. */
export function panicScript(uptime: number): Script {
  const texts = [
    'Kernel panic - not syncing: crash command',
    'CPU: 0 UID: 0 PID: 612 Comm: crash Not tainted',
    '---[ end Kernel panic - not syncing: crash command ]---',
  ];
  const lines = texts.map((text) => stamped(uptime, text));
  return { lines: paced(lines, 0, 0), duration: 0, outcome: 'crash' };
}
