import type { DhcpClientFlags } from './command.ts';
import type { Exchange } from './exchange.ts';

/** The likely reason for a missing lease, and what to check. */
export function advice({ messages, errors }: Exchange, flags: DhcpClientFlags): string {
  const [error] = errors;
  if (error !== undefined) return `Nothing could be sent: ${error.message}.${hintAt(error, flags)}\n`;
  if (messages.some(({ way }) => way === 'received'))
    return `There were answers, but no lease came of them within ${flags.timeout} ms.\n`;
  return [
    `Nobody answered within ${flags.timeout} ms. Check`,
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
