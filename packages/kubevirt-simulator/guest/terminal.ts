import { banner } from './boot.ts';
import type { Card, Machine } from './machine.ts';
import type { Network } from './network.ts';

/** Result of typing. */
export interface Typed {
  text: string;
  /** The next action of the system; later input is lost. */
  action?: Action;
}

/** Characters of the longest line. */
const LONGEST = 4095;

/** A login without password, and a command line. A login outlives the connection. */
export class Terminal {
  #line = '';
  #user: string | undefined;
  /** Whether the next characters belong to a control sequence, such as that of an arrow key, which has no effect. */
  #sequence: 'none' | 'escape' | 'parameters' = 'none';

  /** @param bytes one character for each byte */
  type(bytes: string, system: Omit<System, 'user'>): Typed {
    let text = '';
    for (const character of bytes) {
      if (this.#isControl(character)) continue;
      if (character === '\r' || character === '\n') {
        const line = this.#line;
        this.#line = '';
        const { text: answer, action } = this.#enter(line, system);
        text += `\r\n${answer}`;
        if (action !== undefined) return { text, action };
      } else {
        text += this.#edit(character);
      }
    }
    return { text };
  }

  #isControl(character: string): boolean {
    const before = this.#sequence;
    const isParameter = before === 'escape' ? character === '[' : character >= ' ' && character <= '?';
    this.#sequence = character === '\x1b' ? 'escape' : before !== 'none' && isParameter ? 'parameters' : 'none';
    return this.#sequence !== 'none' || (before === 'parameters' && character >= '@');
  }

  /** The echo of a character; only backspace of the control characters has one. */
  #edit(character: string): string {
    if (character === '\x08' || character === '\x7f') {
      if (this.#line === '') return '';
      this.#line = this.#line.slice(0, -1);
      return '\b \b';
    }
    if (character < ' ' || this.#line.length >= LONGEST) return '';
    this.#line += character;
    return character;
  }

  #enter(line: string, system: Omit<System, 'user'>): Typed {
    const { hostname } = system.machine;
    if (this.#user === undefined) {
      const name = line.trim().slice(0, 32);
      if (name === '') return { text: banner(hostname) };
      this.#user = name;
      return { text: `Type "help" for the commands.\r\n${this.#prompt(hostname)}` };
    }
    const { text, action } = runCommand(line, { ...system, user: this.#user });
    return action === undefined ? { text: text + this.#prompt(hostname) } : { text, action };
  }

  #prompt(hostname: string): string {
    const user = this.#user ?? '';
    return `${user}@${hostname}:~${user === 'root' ? '#' : '$'} `;
  }
}

/** Effect of a command on the machine. */
export type Action = 'powerOff' | 'reboot' | 'crash';

/** Input of commands. */
export interface System {
  machine: Machine;
  network: Network;
  user: string;
  /** The kernel's log. */
  messages: () => string;
}

interface Outcome {
  text: string;
  action?: Action;
}

interface Command {
  help: string;
  run: (words: readonly string[], system: System) => string | { action: Action };
}

/** Runs one line: a command and words; there are no quotes or redirections. */
function runCommand(line: string, system: System): Outcome {
  const [name = '', ...words] = line.trim().split(/\s+/);
  if (name === '') return { text: '' };
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const result = command?.run(words, system) ?? `${name}: command not found\n`;
  return typeof result === 'string' ? { text: result.replaceAll(/\r?\n/g, '\r\n') } : { text: '', ...result };
}

const COMMANDS: Readonly<Record<string, Command>> = {
  help: {
    help: 'list the commands',
    run: () =>
      Object.entries(COMMANDS)
        .map(([name, { help }]) => `${name.padEnd(10)}${help}\n`)
        .join(''),
  },
  crash: { help: 'crash the kernel', run: () => ({ action: 'crash' }) },
  dmesg: { help: "show the kernel's log", run: (_, { messages }) => messages() },
  dns: { help: 'show name servers and search domains', run: (_, system) => nameServers(system) },
  echo: { help: 'print words', run: (words) => `${words.join(' ')}\n` },
  hostname: { help: 'show the name of the machine', run: (_, { machine }) => `${machine.hostname}\n` },
  ip: { help: 'ip addr: network cards; ip route: routes', run: ([what = ''], system) => ip(what, system) },
  poweroff: { help: 'power the machine off', run: () => ({ action: 'powerOff' }) },
  reboot: { help: 'reboot the machine', run: () => ({ action: 'reboot' }) },
  renew: { help: 'renew DHCP leases', run: (_, system) => renew(system) },
  uname: { help: 'show the system', run: () => 'Linux\n' },
  whoami: { help: 'show the user', run: (_, { user }) => `${user}\n` },
};

function nameServers({ machine: { cards }, network }: System): string {
  const leases = cards.flatMap((card) => network.system(card) ?? []);
  const servers = [...new Set(leases.flatMap(({ dns }) => dns))];
  const domains = [...new Set(leases.flatMap(({ search }) => search))];
  return [
    ...servers.map((server) => `nameserver ${server}\n`),
    ...(domains.length === 0 ? [] : [`search ${domains.join(' ')}\n`]),
  ].join('');
}

function renew({ machine: { cards }, network }: System): string {
  for (const card of cards) network.renew(card);
  return '';
}

function ip(what: string, { machine: { cards }, network }: System): string {
  if ('route'.startsWith(what) && what !== '') return cards.map((card) => routesOf(card, network)).join('');
  if (!'address'.startsWith(what) || what === '') return 'Usage: ip addr | ip route\n';
  return cards.map((card, index) => cardLines(card, network, index + 2)).join('');
}

function cardLines(card: Card, network: Network, number: number): string {
  const { device, mac } = card;
  const lease = network.system(card);
  const link = `${number}: ${device}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu ${lease?.mtu ?? 1500} state UP\n    link/ether ${mac} brd ff:ff:ff:ff:ff:ff\n`;
  const address = addressOf(card, network);
  if (address === undefined) return link;
  return `${link}    inet ${address} scope global ${lease === undefined ? '' : 'dynamic '}${device}\n`;
}

function addressOf(card: Card, network: Network): string | undefined {
  if (card.network === undefined) return card.address === undefined ? undefined : `${card.address}/16`;
  const lease = network.system(card);
  return lease === undefined ? undefined : `${lease.address}/${lease.prefix}`;
}

function routesOf(card: Card, network: Network): string {
  const lease = network.system(card);
  if (lease === undefined) return '';
  const { address, gateway, routes = [] } = lease;
  const ways = [...(gateway === undefined ? [] : [{ destination: 'default', gateway }]), ...routes];
  return ways
    .map(({ destination, gateway: by }) => {
      const via = by === '0.0.0.0' ? '' : ` via ${by}`;
      return `${destination}${via} dev ${card.device} proto dhcp src ${address}\n`;
    })
    .join('');
}
