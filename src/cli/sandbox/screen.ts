import type { ReadyBmc, ReadyDocument } from './ready.ts';

export interface ScreenOptions {
  document: ReadyDocument;
  /** Seconds from the process's start. */
  seconds: number;
  /** Lines that install what the printed commands need and this machine lacks. */
  install: readonly { tool: string; line: string }[];
  /** Where it is kept; undefined: nowhere. */
  kept: Kept | undefined;
  /** Options that have no effect, and why. */
  notes: readonly string[];
  /** BMCs that did not come up, and why. */
  troubles: readonly { name: string; message: string }[];
  colour: boolean;
}

export interface Kept {
  /** The folder. */
  path: string;
  /** Whether it was there before. */
  isBack: boolean;
}

/** What a person sees when the sandbox is up: endpoints, credentials, and lines to copy. */
export function screen(options: ScreenOptions): string {
  const { document } = options;
  const paint = painter(options.colour);
  return [
    '',
    `${paint.bold('Groundcrew sandbox')} is ${options.kept?.isBack === true ? 'back' : 'up'}: ${count(document.bmcs.length, 'BMC')} in ${options.seconds.toFixed(1)} s`,
    '',
    ...(document.bmcs.length === 0 ? [] : table(document.bmcs)).map(
      (line, row) => `  ${row === 0 ? paint.dim(line) : line}`,
    ),
    ...troubles(options, paint),
    ...options.notes.flatMap((note) => ['', `  ${note}`]),
    ...commands(document, paint),
    ...options.install.flatMap(({ tool, line }) => [
      `  ${paint.bold(`${tool} is not on this machine.`)} This installs it:`,
      `    ${line}`,
      '',
    ]),
    ...farewell(options.kept),
    '',
  ].join('\n');
}

function farewell(kept: Kept | undefined): string[] {
  if (kept === undefined) return ['Ctrl-C stops all of it and leaves nothing behind.'];
  return [
    'Ctrl-C stops all of it. This brings it back as it was:',
    `  groundcrew sandbox --data-dir ${quote(kept.path)}`,
  ];
}

function table(bmcs: readonly ReadyBmc[]): string[] {
  const rows = [
    ['VIRTUAL MACHINE', 'IPMI', 'USER', 'PASSWORD'],
    ...bmcs.map((bmc) => [
      `${bmc.namespace}/${bmc.virtualMachine}`,
      bmc.ipmi === undefined ? 'off' : `${bmc.ipmi.host}:${bmc.ipmi.port}`,
      bmc.username,
      bmc.password,
    ]),
  ];
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

function troubles({ troubles: list }: ScreenOptions, paint: Painter): string[] {
  if (list.length === 0) return [];
  return ['', ...list.map(({ name, message }) => `  ${paint.bold(name)} is not ready: ${message}`)];
}

function commands(document: ReadyDocument, paint: Painter): string[] {
  const [first] = document.bmcs.filter((bmc) => bmc.ipmi !== undefined);
  const ipmi = first === undefined ? [] : ipmiCommands(first);
  const lines = [
    ...ipmi,
    ['See it in the cluster', `kubectl --kubeconfig ${quote(document.kubeconfig)} get vm,vmi,vmbmc,pods`] as const,
  ];
  return ['', ...lines.flatMap(([what, line]) => [`  ${paint.dim(`# ${what}`)}`, `  ${line}`]), ''];
}

function ipmiCommands(bmc: ReadyBmc): (readonly [string, string])[] {
  const tool = `ipmitool -I lanplus -H ${bmc.ipmi?.host ?? ''} -p ${bmc.ipmi?.port ?? 0} -U ${quote(bmc.username)} -P ${quote(bmc.password)}`;
  return [
    [
      `Boot ${bmc.virtualMachine} from the network, once (forgotten if it is not booted within 60 s)`,
      `${tool} chassis bootdev pxe`,
    ],
    ['Power it on', `${tool} chassis power on`],
    ['Ask how it is', `${tool} chassis status`],
  ];
}

/** Quotes a word for a POSIX shell where it needs that. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

interface Painter {
  bold: (text: string) => string;
  dim: (text: string) => string;
}

function painter(colour: boolean): Painter {
  if (!colour) return { bold: (text) => text, dim: (text) => text };
  return { bold: (text) => `\x1b[1m${text}\x1b[22m`, dim: (text) => `\x1b[2m${text}\x1b[22m` };
}
