import { formatIpv4 } from '../../api/index.ts';
import {
  decodeU32,
  formatOption,
  messageTypeName,
  OPTION,
  optionName,
  optionOf,
  type DhcpMessage,
} from '../../protocols/dhcp/index.ts';
import type { Exchange, Heard } from './exchange.ts';
import type { DhcpClientFlags } from './command.ts';

/**
 * The exchange as text: each message, then the options of the lease.
 *
 * @param server where all messages were sent; absent: where the protocol sends them
 */
export function renderText({ messages, lease, time }: Exchange, server?: string): string {
  const lines = messages.map((message) => line(message, server));
  if (lease === undefined) return [...lines, ''].join('\n');
  const { address, message } = lease;
  const rows = optionsOf(message).map(({ code, name, value }) => [`${name} (${code})`, value] as const);
  const width = Math.max(...rows.map(([name]) => name.length));
  return [
    ...lines,
    '',
    `${formatIpv4(address)} from ${formatIpv4(lease.server)} in ${milliseconds(time ?? 0)}`,
    '',
    `${'OPTION'.padEnd(width)}  VALUE`,
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
  ].join('\n');
}

/** The exchange as JSON. */
export function renderJson({ messages, lease, time }: Exchange): string {
  const document = {
    ...(lease && {
      address: formatIpv4(lease.address),
      server: formatIpv4(lease.server),
      milliseconds: time,
      ...boot(lease.message),
      options: optionsOf(lease.message),
    }),
    messages: messages.map(({ at, way, message }) => ({
      milliseconds: at,
      way,
      type: typeOf(message),
      ...(way === 'received' && { server: addressIn(message, OPTION.serverIdentifier) }),
      ...(message.yiaddr !== 0 && { address: formatIpv4(message.yiaddr) }),
    })),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function line({ at, way, message, to = 'broadcast' }: Heard, only: string | undefined): string {
  const time = `+${milliseconds(at)}`.padStart(11);
  const type = typeOf(message).padEnd(8);
  if (way === 'received') {
    const server = addressIn(message, OPTION.serverIdentifier) ?? 'a server without a name';
    const what = message.yiaddr === 0 ? '' : `${formatIpv4(message.yiaddr)} `;
    return `${time}  <- ${type} ${what}from ${server}`;
  }
  const asked = addressIn(message, OPTION.requestedAddress) ?? (message.ciaddr === 0 ? '' : formatIpv4(message.ciaddr));
  const target = only ?? (to === 'broadcast' ? to : formatIpv4(to));
  return `${time}  -> ${type} ${asked === '' ? '' : `${asked} `}to ${target}`;
}

/** The options in wire order, and the boot fields of the header. */
function optionsOf(message: DhcpMessage): { code: number | string; name: string; value: string }[] {
  const { nextServer, bootFile } = boot(message);
  return [
    ...message.options
      .filter(({ code }) => code !== OPTION.messageType)
      .map(({ code, value }) => ({ code, name: optionName(code), value: formatOption(code, value) })),
    ...(nextServer === undefined ? [] : [{ code: 'siaddr', name: 'next-server', value: nextServer }]),
    ...(bootFile === undefined ? [] : [{ code: 'file', name: 'boot-file', value: bootFile }]),
  ];
}

function boot({ siaddr, file }: DhcpMessage): { nextServer?: string; bootFile?: string } {
  return {
    ...(siaddr !== 0 && { nextServer: formatIpv4(siaddr) }),
    ...(file.length > 0 && { bootFile: formatOption(OPTION.bootFileName, file) }),
  };
}

function typeOf(message: DhcpMessage): string {
  return messageTypeName(optionOf(message, OPTION.messageType)?.[0] ?? 0);
}

function addressIn(message: DhcpMessage, code: number): string | undefined {
  const value = optionOf(message, code);
  const address = value === undefined ? undefined : decodeU32(value);
  return address === undefined ? undefined : formatIpv4(address);
}

function milliseconds(time: number): string {
  return `${time.toFixed(1)} ms`;
}

/** The likely reason for a missing lease, and what to check. */
export function advice({ messages, errors }: Exchange, flags: DhcpClientFlags): string {
  const [error] = errors;
  if (error !== undefined) return `Nothing could be sent: ${error.message}.${hintAt(error, flags)}\n`;
  if (messages.some(({ way }) => way === 'received'))
    return `There were answers, but no lease came of them within ${flags.timeout} ms.\n`;
  return [
    `No server answered within ${flags.timeout} ms. Check`,
    '- that an IPLease has this MAC address (kubectl get ipleases -A): strangers get no answer;',
    '- that its pool is ready (kubectl get ippools -A), which says whether its agents run;',
    ...(flags.server === undefined ? onTheNetwork() : askedDirectly(flags)),
    '',
  ].join('\n');
}

function hintAt(error: Error, { server }: DhcpClientFlags): string {
  const isWithoutWay = 'code' in error && error.code === 'ENETUNREACH' && server === undefined;
  return isWithoutWay ? ' Name the interface that is on the network: --interface.' : '';
}

function onTheNetwork(): string[] {
  return ['- that this machine is on that network, and asks on the right interface: --interface.'];
}

function askedDirectly({ relay }: DhcpClientFlags): string[] {
  return [
    relay === undefined
      ? '- that --relay is there: servers answer other clients on port 68 alone, or by broadcast;'
      : "- that --relay is an address of the pool's network: others are not answered;",
    '- that the server answers the port that it was asked from (RFC 8357), and not port 67 of the relay agent.',
  ];
}
