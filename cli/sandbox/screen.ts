import { painter, type Painter } from '../paint.ts';
import { sandboxMac, SANDBOX_NETWORK } from './machines.ts';
import { quote } from './tools.ts';
import type { ReadyBmc, ReadyDocument, ReadyPool } from './until-settled.ts';

export interface ScreenOptions {
  document: ReadyDocument;
  /** Addresses from pools by VM (`namespace/name`). */
  addresses: ReadonlyMap<string, readonly string[]>;
  /** Seconds since the start of the process. */
  seconds: number;
  /** Command that runs this program. */
  command: string;
  /** Command lines that install tools which the printed commands use and this machine lacks. */
  install: readonly { tool: string; line: string }[];
  /** The data folder; undefined if nothing is kept. */
  kept: Kept | undefined;
  /** Options that have no effect, with the reason. */
  notes: readonly string[];
  /** BMCs and pools that are not ready, with the reason. */
  troubles: readonly { name: string; message: string }[];
  colour: boolean;
}

interface Kept {
  /** Path of the folder. */
  path: string;
  /** Whether the sandbox was restored from the folder. */
  isBack: boolean;
}

/** The text that the sandbox prints when it is ready: endpoints, credentials and commands to copy. */
export function screen(options: ScreenOptions): string {
  const { document, addresses } = options;
  const paint = painter(options.colour);
  return [
    paint.bold(document.web),
    paint.dim('The cluster in your browser. The link works once; then another one is printed.'),
    '',
    `${paint.bold('Groundcrew sandbox')} is ${options.kept?.isBack === true ? 'back' : 'up'}: ${contents(document)} in ${options.seconds.toFixed(1)} s`,
    ...[bmcTable(document.bmcs, addresses), poolTable(document.pools)]
      .filter((rows) => rows.length > 1)
      .flatMap((rows) => ['', ...aligned(rows).map((line, row) => `  ${row === 0 ? paint.dim(line) : line}`)]),
    ...troubles(options, paint),
    ...options.notes.flatMap((note) => ['', `  ${note}`]),
    ...commands(options, paint),
    ...options.install.flatMap(({ tool, line }) => [
      `  ${paint.bold(`${tool} is not on this machine.`)} This installs it:`,
      `    ${line}`,
      '',
    ]),
    ...farewell(options),
    '',
  ].join('\n');
}

function farewell({ kept, command }: ScreenOptions): string[] {
  if (kept === undefined) return ['Ctrl-C stops all of it and leaves nothing behind.'];
  return [
    'Ctrl-C stops all of it. This brings it back as it was:',
    `  ${command} sandbox --data-dir ${quote(kept.path)}`,
  ];
}

function contents({ bmcs, pools }: ReadyDocument): string {
  return [count(bmcs.length, 'BMC'), ...(pools.length === 0 ? [] : [count(pools.length, 'IP pool')])].join(' and ');
}

function bmcTable(bmcs: readonly ReadyBmc[], addresses: ScreenOptions['addresses']): string[][] {
  return [
    ['VIRTUAL MACHINE', 'ADDRESS', 'IPMI AND REDFISH', 'USER', 'PASSWORD'],
    ...bmcs.map((bmc) => [
      `${bmc.namespace}/${bmc.virtualMachine}`,
      addresses.get(`${bmc.namespace}/${bmc.virtualMachine}`)?.join(',') || '-',
      endpointsOf(bmc),
      bmc.username,
      bmc.password,
    ]),
  ];
}

/** Both protocols use the same port number, over UDP and TCP, unless a Service sets other ports. */
function endpointsOf({ ipmi, redfish }: ReadyBmc): string {
  const overUdp = ipmi === undefined ? undefined : `${ipmi.host}:${ipmi.port}`;
  const overTcp = redfish?.replace('https://', '');
  if (overUdp === overTcp) return overUdp ?? '-';
  return `${overUdp ?? 'no IPMI'}, ${overTcp ?? 'no Redfish'}`;
}

function poolTable(pools: readonly ReadyPool[]): string[][] {
  return [
    ['IP POOL', 'NETWORK', 'DHCP'],
    ...pools.map(({ namespace, name, cidr, dhcp }) => [`${namespace}/${name}`, cidr, `${dhcp.host}:${dhcp.port}`]),
  ];
}

function aligned(rows: readonly string[][]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function troubles({ troubles: list }: ScreenOptions, paint: Painter): string[] {
  if (list.length === 0) return [];
  return ['', ...list.map(({ name, message }) => `  ${paint.bold(name)} is not ready: ${message}`)];
}

function commands({ document, command }: ScreenOptions, paint: Painter): string[] {
  const [first] = document.bmcs.filter((bmc) => bmc.ipmi !== undefined);
  const ipmi = first === undefined ? [] : ipmiCommands(first);
  const redfish = document.bmcs.filter((bmc) => bmc.redfish !== undefined).slice(0, 1);
  const lines: (readonly [string, string])[] = [
    ...ipmi,
    ...redfish.flatMap((bmc) => redfishCommands(bmc, document.authority)),
    ['Use the cluster with kubectl', `export KUBECONFIG=${quote(document.kubeconfig)}`],
    ['List its objects', 'kubectl get vm,vmi,vmbmc,pods'],
    ...document.pools.slice(0, 1).flatMap((pool) => dhcpCommands(pool, document, command)),
    ['Show the state of all BMCs, pools and leases', `${command} status`],
    ...document.bmcs
      .slice(0, 1)
      .map(
        (bmc) => [`Open the console of ${bmc.virtualMachine} (Ctrl-] leaves)`, consoleCommand(bmc, command)] as const,
      ),
  ];
  return ['', ...lines.flatMap(([what, line]) => [`  ${paint.dim(`# ${what}`)}`, ...folded(line)]), ''];
}

function consoleCommand({ namespace, virtualMachine }: ReadyBmc, command: string): string {
  return `${command} console ${quote(virtualMachine)}${namespace === 'default' ? '' : ` -n ${namespace}`}`;
}

/** Width of a standard terminal. */
const WIDTH = 80;

/** A shell command, indented and wrapped to the width. */
function folded(command: string): string[] {
  const lines: string[] = [];
  let line = ' ';
  // Split at spaces outside single quotes.
  for (const word of command.split(/ (?=(?:[^']*'[^']*')*[^']*$)/)) {
    if (line.length + 1 + word.length + ' \\'.length > WIDTH && line.trim() !== '') {
      lines.push(`${line} \\`);
      line = '   ';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}

function ipmiCommands(bmc: ReadyBmc): (readonly [string, string])[] {
  const tool = `ipmitool -I lanplus -H ${bmc.ipmi?.host ?? ''} -p ${bmc.ipmi?.port ?? 0} -U ${quote(bmc.username)} -P ${quote(bmc.password)}`;
  return [
    [
      `Boot ${bmc.virtualMachine} from the network once (expires after 60 s without a boot)`,
      `${tool} chassis bootdev pxe`,
    ],
    ['Power it on', `${tool} chassis power on`],
    ['Show its status', `${tool} chassis status`],
    ['Open its serial console (Enter shows a prompt; Enter ~. leaves)', `${tool} sol activate`],
  ];
}

function redfishCommands(bmc: ReadyBmc, authority: string): (readonly [string, string])[] {
  const login = quote(`${bmc.username}:${bmc.password}`);
  const system = `${bmc.redfish ?? ''}/redfish/v1/Systems/1`;
  const curl = `curl -sS --fail-with-body --cacert ${quote(authority)} -u ${login}`;
  const reset = `-H 'Content-Type: application/json' -d '{"ResetType":"On"}'`;
  return [
    [`Show ${bmc.virtualMachine} through Redfish`, `${curl} ${system}`],
    [
      'Power it on through Redfish',
      `${curl} -w 'HTTP %{http_code}\\n' ${reset} ${system}/Actions/ComputerSystem.Reset`,
    ],
  ];
}

function dhcpCommands(
  { namespace, name, dhcp, relay }: ReadyPool,
  { bmcs }: ReadyDocument,
  command: string,
): (readonly [string, string])[] {
  const leases: [string, string] = ['List addresses and who has them', 'kubectl get ippools,ipleases,vmi -A'];
  // The sandbox knows the network address only for its built-in VMs.
  if (bmcs[0]?.virtualMachine !== 'vm-1' || `${namespace}/${name}` !== SANDBOX_NETWORK) return [leases];
  const server = `${dhcp.host}:${dhcp.port}`;
  const ask = `${command} dhcp-client --mac ${sandboxMac(1)} --server ${server} --relay ${relay}`;
  return [leases, ['Ask for the address of vm-1 as its network card does', ask]];
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

/** Progress of the start on standard error: one line rewritten in place on a terminal, otherwise one line per step. */
export class Progress {
  readonly #stderr: NodeJS.WritableStream & { isTTY?: boolean };
  #shown = '';

  constructor(stderr: NodeJS.WritableStream & { isTTY?: boolean }) {
    this.#stderr = stderr;
  }

  /** Shows the current step. */
  show(step: string): void {
    if (step === this.#shown) return;
    this.#shown = step;
    this.#stderr.write(this.#stderr.isTTY === true ? `\r\x1b[K${step}` : `${step}\n`);
  }

  /** Clears the line and disables further output. */
  end(): void {
    if (this.#shown !== '' && this.#stderr.isTTY === true) this.#stderr.write('\r\x1b[K');
    this.#shown = '';
  }
}
