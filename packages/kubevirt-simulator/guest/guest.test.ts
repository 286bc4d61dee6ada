import { beforeEach, describe, expect, it } from 'vitest';
import { aGuest, aVmi, BOOT_TIME, SHUTDOWN_TIME } from '../testing/builders.ts';
import type { Guest } from './index.ts';

/** A while after the boot. */
const LATER = BOOT_TIME + 5000;

let guest: Guest;

beforeEach(() => {
  guest = aGuest(aVmi('Running'));
});

describe('a guest that boots', () => {
  it('writes its log during the boot time, each line once', () => {
    const parts = [0, 299, 300, 700, BOOT_TIME].map((now) => guest.read(now).text);
    expect(parts[0]).toBe('SeaBIOS (version 1.16.3-2.el9)\r\n');
    expect(parts[1]).toContain('Booting from Hard Disk...');
    expect(parts[1]).not.toContain('GRUB');
    expect(parts[3]).toMatch(/\[ {4}0\.\d{6}\] Linux version /);
    expect(parts[4]).toMatch(/m login: $/);
    expect(parts.join('')).toBe(aGuest(aVmi('Running')).read(LATER).text);
    expect(guest.read(LATER)).toEqual({ text: '', screen: '' });
  });

  it('loses input before the login prompt', () => {
    expect(guest.type('root\r', BOOT_TIME - 1).text).not.toContain('root@m');
    expect(guest.read(BOOT_TIME).text).toMatch(/m login: $/);
  });
});

describe('a booted guest', () => {
  beforeEach(() => {
    guest.read(BOOT_TIME);
  });

  it('answers Enter with a prompt', () => {
    expect(guest.type('\r', LATER).text).toMatch(/^\r\n[^]*m login: $/);
  });

  it('accepts every login, and keeps it', () => {
    expect(guest.type('ada\r', LATER).text).toMatch(/^ada\r\n[^]*ada@m:~\$ $/);
    expect(guest.type('\r', LATER).text).toBe('\r\nada@m:~$ ');
  });

  it('ignores control sequences, such as those of arrows', () => {
    expect(guest.type('ro\x1b[A\x1b[1;5Co\x1bt\x1b[\r', LATER).text).toContain('root@m:~# ');
  });

  it('supports backspace', () => {
    expect(guest.type('rooot\x7f\x7ft\r', LATER).text).toContain('root@m:~# ');
  });

  it.each([
    ['uname', 'Linux'],
    ['hostname', 'm'],
    ['whoami', 'root'],
    ['echo two words', 'two words'],
    ['nonsense', 'nonsense: command not found'],
    ['constructor', 'constructor: command not found'],
    ['ip', 'Usage: ip addr | ip route'],
    ['', ''],
  ])('runs %j', (command, answer) => {
    guest.type('root\r', LATER);
    const lines = answer === '' ? '' : `${answer}\r\n`;
    expect(guest.type(`${command}\r`, 65_000).text).toBe(`${command}\r\n${lines}root@m:~# `);
  });

  it('powers off by command', () => {
    guest.type('root\r', LATER);
    expect(guest.type('poweroff\r', LATER).fate).toBeUndefined();
    expect(guest.wakeAt(false)).toBe(LATER + SHUTDOWN_TIME);
    expect(guest.type('too late\r', LATER + 1).text).not.toContain('too late');
    const { text, fate } = guest.read(LATER + SHUTDOWN_TIME);
    expect(text).toContain('Reached target poweroff.target');
    expect(text).toMatch(/reboot: Power down\r\n$/);
    expect(fate).toBe('PoweredOff');
    guest.reset(LATER + 1000);
    expect(guest.read(LATER + 9000)).toEqual({ text: '', screen: '' });
  });

  it('reboots by command, also unwatched', () => {
    guest.type('root\rreboot\r', LATER);
    expect(guest.wakeAt(false)).toBeUndefined();
    const { text, fate } = guest.read(LATER + SHUTDOWN_TIME + BOOT_TIME);
    expect(text).toMatch(/reboot: Restarting system\r\nSeaBIOS [^]*m login: $/);
    expect(fate).toBeUndefined();
  });

  it('crashes by command', () => {
    guest.type('root\r', LATER);
    const output = guest.type('crash\r', LATER);
    expect(output.fate).toBe('Crashed');
    expect(output.text).toContain('Kernel panic - not syncing');
  });
});

describe('actions on a guest', () => {
  it('the power button shuts a booted system down', () => {
    guest.pressPowerButton('powerOff', BOOT_TIME);
    const { text, fate } = guest.read(BOOT_TIME + SHUTDOWN_TIME);
    expect(text).toContain('Power key pressed short.');
    expect(fate).toBe('PoweredOff');
  });

  it('the power button has no effect during the boot', () => {
    guest.pressPowerButton('powerOff', BOOT_TIME / 2);
    expect(guest.read(LATER).text).toMatch(/m login: $/);
  });

  it('a reset boots at once and ends the login', () => {
    guest.type('root\r', BOOT_TIME);
    expect(guest.reset(LATER).text).toBe('');
    expect(guest.read(LATER).text).toBe('SeaBIOS (version 1.16.3-2.el9)\r\n');
    expect(guest.type('', LATER + BOOT_TIME).text).toMatch(/m login: $/);
  });

  it('Control-Alt-Delete reboots a booted system', () => {
    guest.pressControlAltDelete(BOOT_TIME);
    const { text } = guest.read(LATER + BOOT_TIME);
    expect(text).toMatch(/will reboot now![^]*reboot: Restarting system\r\nSeaBIOS [^]*m login: $/);
    expect(text).not.toContain('Power key');
  });

  it('Control-Alt-Delete during a boot or without a system starts the firmware again', () => {
    const vmi = aVmi('Running');
    const diskless = { ...vmi, spec: { ...vmi.spec, volumes: [] } };
    for (const [machine, now] of [
      [aGuest(vmi), BOOT_TIME / 2],
      [aGuest(diskless), LATER],
    ] as const) {
      machine.pressControlAltDelete(now);
      expect(machine.read(now).text).toBe('SeaBIOS (version 1.16.3-2.el9)\r\n');
    }
  });

  it('Control-Alt-Delete has no effect during a shutdown or a pause', () => {
    guest.pressPowerButton('powerOff', BOOT_TIME);
    guest.pressControlAltDelete(BOOT_TIME + 1);
    expect(guest.read(BOOT_TIME + SHUTDOWN_TIME).fate).toBe('PoweredOff');
    const paused = aGuest(aVmi('Running'));
    paused.pause(BOOT_TIME);
    paused.pressControlAltDelete(LATER);
    expect(paused.read(LATER)).toEqual({ text: '', screen: '' });
  });

  it('a pause stops guest time', () => {
    const before = guest.pause(500).text;
    expect(guest.isPaused).toBe(true);
    expect(guest.wakeAt(true)).toBeUndefined();
    expect(guest.read(LATER).text).toBe('');
    guest.unpause(LATER);
    expect(guest.read(LATER).text).toBe('');
    const after = guest.read(LATER + 500).text;
    expect(before + after).toBe(aGuest(aVmi('Running')).read(BOOT_TIME).text);
  });

  it('input during a pause is lost', () => {
    guest.pause(BOOT_TIME);
    expect(guest.type('root\r', LATER).text).toBe('');
    guest.unpause(LATER);
    expect(guest.type('\r', LATER).text).toMatch(/m login: $/);
  });

  it('a reset during a pause boots after the pause', () => {
    guest.pause(BOOT_TIME);
    guest.reset(LATER);
    expect(guest.read(LATER).text).toBe('SeaBIOS (version 1.16.3-2.el9)\r\n');
  });
});
