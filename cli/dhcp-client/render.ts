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

function line({ at, way, message, to = 'everybody' }: Heard, only: string | undefined): string {
  const time = `+${milliseconds(at)}`.padStart(11);
  const type = typeOf(message).padEnd(8);
  if (way === 'received') {
    const server = addressIn(message, OPTION.serverIdentifier) ?? 'a server without a name';
    const what = message.yiaddr === 0 ? '' : `${formatIpv4(message.yiaddr)} `;
    return `${time}  <- ${type} ${what}from ${server}`;
  }
  const asked = addressIn(message, OPTION.requestedAddress) ?? (message.ciaddr === 0 ? '' : formatIpv4(message.ciaddr));
  const target = only ?? (to === 'everybody' ? to : formatIpv4(to));
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
