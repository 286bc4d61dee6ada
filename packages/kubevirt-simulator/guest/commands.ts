import { KERNEL_RELEASE, KERNEL_VERSION, SYSTEM, partitionOf } from './kernel-log.ts';
import { systemDriveOf, type Drive } from './machine.ts';
import { ip, networkctl, resolvConf, type NetworkView } from './network-commands.ts';

/** What a command leads to, beyond what it writes. */
export type Action = 'logout' | 'powerOff' | 'reboot' | 'powerOffAtOnce' | 'rebootAtOnce' | 'crash';

/** What commands can see. */
export interface System extends NetworkView {
  user: string;
  /** Milliseconds since the kernel's start. */
  uptime: number;
  /** Milliseconds since 1970. */
  now: number;
  /** The kernel's log since its start. */
  messages: () => string;
}

interface Outcome {
  text: string;
  action?: Action;
}

interface Command {
  help: string;
  run: (words: readonly string[], system: System) => Outcome | string;
}

/** Runs one line of a shell that knows little more than what an operator types to see that a machine lives. */
export function runCommand(line: string, system: System): Outcome {
  const { words, target } = parse(line);
  if (target !== undefined) return redirected(words, target);
  const [name, ...rest] = words;
  if (name === undefined) return { text: '' };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const outcome = command?.run(rest, system) ?? `sh: ${name}: command not found\n`;
  const { text, action } = typeof outcome === 'string' ? { text: outcome, action: undefined } : outcome;
  const written = text.replaceAll('\n', '\r\n');
  return action === undefined ? { text: written } : { text: written, action };
}

const COMMANDS: Readonly<Record<string, Command>> = {
  help: {
    help: 'what there is',
    run: () =>
      Object.entries(COMMANDS)
        .map(([name, { help }]) => `${name.padEnd(12)}${help}\n`)
        .join(''),
  },
  cat: {
    help: 'show /etc/os-release, /etc/hostname or /etc/resolv.conf',
    run: ([file], system) => contentOf(file, system),
  },
  clear: { help: 'clear the screen', run: () => '\x1b[H\x1b[2J' },
  dmesg: { help: "the kernel's log", run: (_, { messages }) => messages().replaceAll('\r\n', '\n') },
  echo: { help: 'write words; "echo c > /proc/sysrq-trigger" crashes', run: (words) => `${words.join(' ')}\n` },
  exit: { help: 'log out', run: () => ({ text: 'logout\n', action: 'logout' }) },
  hostname: { help: 'the name of the machine', run: (_, { machine }) => `${machine.hostname}\n` },
  ip: { help: 'ip addr: the network cards; ip route: ways out', run: ([what = ''], system) => ip(what, system) },
  lsblk: { help: 'the drives', run: (_, { machine }) => listDrives(machine.drives, systemDriveOf(machine)) },
  networkctl: {
    help: 'networkctl renew eth0: ask the DHCP server anew',
    run: (words, system) => networkctl(words, system),
  },
  poweroff: { help: 'power the machine off', run: () => ({ text: '', action: 'powerOff' }) },
  reboot: { help: 'boot the machine anew', run: () => ({ text: '', action: 'reboot' }) },
  uname: {
    help: 'the system; -a: all of it',
    run: ([option], { machine }) =>
      option === '-a'
        ? `Linux ${machine.hostname} ${KERNEL_RELEASE} ${KERNEL_VERSION} x86_64 GNU/Linux\n`
        : option === '-r'
          ? `${KERNEL_RELEASE}\n`
          : 'Linux\n',
  },
  uptime: { help: 'how long it has been up', run: (_, { now, uptime }) => `${upTime(now, uptime)}\n` },
  whoami: { help: 'who is logged in', run: (_, { user }) => `${user}\n` },
};

/** The shell's words, and the file after `>`; quotes keep spaces. */
function parse(line: string): { words: string[]; target: string | undefined } {
  const tokens: readonly string[] = line.match(/>|(?:"[^"]*"|'[^']*'|[^\s>"']|["'])+/g) ?? [];
  const redirection = tokens.indexOf('>');
  const plain = (token: string): string => token.replace(/"([^"]*)"|'([^']*)'/g, '$1$2');
  if (redirection === -1) return { words: tokens.map(plain), target: undefined };
  return { words: tokens.slice(0, redirection).map(plain), target: plain(tokens[redirection + 1] ?? '') };
}

const SYSRQ: Readonly<Record<string, Action>> = { b: 'rebootAtOnce', c: 'crash', o: 'powerOffAtOnce' };

function redirected([command, key = '']: readonly string[], target: string): Outcome {
  if (target === '') return { text: "sh: syntax error near unexpected token `newline'\r\n" };
  if (target !== '/proc/sysrq-trigger') return { text: `sh: ${target}: Read-only file system\r\n` };
  const action = command === 'echo' ? SYSRQ[key.slice(0, 1)] : undefined;
  return action === undefined ? { text: '' } : { text: '', action };
}

function contentOf(file: string | undefined, system: System): string {
  if (file === '/etc/os-release')
    return `NAME="${SYSTEM}"\nID=groundcrew\nPRETTY_NAME="${SYSTEM}"\nHOME_URL="https://kubevirt.io"\n`;
  if (file === '/etc/hostname') return `${system.machine.hostname}\n`;
  if (file === '/etc/resolv.conf') return resolvConf(system);
  return file === undefined ? '' : `cat: ${file}: No such file or directory\n`;
}

function listDrives(drives: readonly Drive[], root: Drive | undefined): string {
  const rows = drives.flatMap((drive) => {
    const mounted = (name: string): string => (root !== undefined && name === partitionOf(root) ? '/' : '');
    if (drive.kind === 'cdrom') return [[drive.device, '1024M', 'rom', mounted(drive.device)]];
    return [
      [drive.device, '10G', 'disk', ''],
      [`|-${drive.device}1`, '512M', 'part', ''],
      [`\`-${drive.device}2`, '9.5G', 'part', mounted(`${drive.device}2`)],
    ];
  });
  return [['NAME', 'SIZE', 'TYPE', 'MOUNTPOINTS'], ...rows]
    .map(([name = '', size = '', type = '', mount = '']) =>
      `${name.padEnd(8)} ${size.padStart(5)} ${type.padEnd(4)} ${mount}`.trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function upTime(now: number, uptime: number): string {
  const minutes = Math.floor(uptime / 60_000);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const clock = new Date(now).toISOString().slice(11, 19);
  const time = hours === 0 ? `${minutes} min` : `${hours % 24}:${String(minutes % 60).padStart(2, '0')}`;
  const up = days === 0 ? time : `${days} day${days === 1 ? '' : 's'}, ${time}`;
  return ` ${clock} up ${up},  1 user,  load average: 0.00, 0.00, 0.00`;
}
