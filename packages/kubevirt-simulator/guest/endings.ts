import { done, paced, stamped, type Script } from './script.ts';

/**
 * A system that shuts down, over `duration` milliseconds.
 *
 * @param button whether it was the power button that was pressed, and not somebody in the system who asked
 * @param uptime of the kernel at its start, milliseconds
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
    done('Stopped systemd-logind.service - User Login Management.'),
    done('Stopped systemd-networkd.service - Network Configuration.'),
    done('Stopped target sysinit.target - System Initialization.'),
    done('Unmounted dev-hugepages.mount - Huge Pages File System.'),
    done('Reached target umount.target - Unmount All Filesystems.'),
    done(`Reached target ${target} - ${name}.`),
    stamped(uptime + duration, last),
  ];
  return { lines: paced(texts, 0, duration), duration, outcome };
}

/** A system that goes without shutting down, as SysRq `b` and `o` make it. */
export function suddenScript(outcome: 'powerOff' | 'reboot', uptime: number): Script {
  const text = outcome === 'powerOff' ? 'sysrq: Power Off' : 'sysrq: Resetting';
  return { lines: paced([stamped(uptime, text)], 0, 0), duration: 0, outcome };
}

/** A kernel that panics. */
export function panicScript(uptime: number): Script {
  const texts = [
    'sysrq: Trigger a crash',
    'Kernel panic - not syncing: sysrq triggered crash',
    'CPU: 0 UID: 0 PID: 612 Comm: sh Not tainted',
    'Hardware name: KubeVirt None/RHEL, BIOS 1.16.3-2.el9 04/01/2014',
    'Call Trace:',
    ' <TASK>',
    ' panic+0x37c/0x3e0',
    ' sysrq_handle_crash+0x1a/0x20',
    ' __handle_sysrq+0x9d/0x180',
    ' write_sysrq_trigger+0x28/0x40',
    ' </TASK>',
    '---[ end Kernel panic - not syncing: sysrq triggered crash ]---',
  ];
  return {
    lines: paced(
      texts.map((text) => stamped(uptime, text)),
      0,
      0,
    ),
    duration: 0,
    outcome: 'crash',
  };
}
